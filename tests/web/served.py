"""Run the server in a process, for tests that send requests to it."""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

# Tests accept either browser; the one without windows takes half the time.
_BROWSERS = Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium")
CHROMIUM = next((path for path in _BROWSERS if path.exists()), _BROWSERS[-1])


@contextmanager
def run_server(
    *options: str, program: Sequence[str] = ("-m", "crisps24")
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    command = [sys.executable, *program, "serve", "--port", "0", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            first_line = process.stdout.readline()
            address = re.match(r"(http://\S+)/ ", first_line)
            assert address, first_line or process.communicate()[1]
            yield address[1], process
        finally:
            process.terminate()
            process.communicate(timeout=120)


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """Serve a folder as `python -m http.server` does; yield its address."""
    handler = partial(_Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
