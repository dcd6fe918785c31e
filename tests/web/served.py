"""Start the server in a process, for tests with real requests."""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

# Either browser works; the headless shell takes half the time.
_BROWSERS = Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium")
CHROMIUM = next((path for path in _BROWSERS if path.exists()), _BROWSERS[-1])


@contextmanager
def served(
    *options: str, program: Sequence[str] = ("-m", "crisps24")
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Start a server, and yield its address and its process."""
    command = [sys.executable, *program, "serve", "--port", "0", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            assert running.stdout is not None
            line = running.stdout.readline()
            match = re.match(r"(http://\S+)/ ", line)
            assert match, line or running.communicate()[1]
            yield match[1], running
        finally:
            running.terminate()
            running.communicate(timeout=30)


@contextmanager
def elsewhere(page: str) -> Iterator[str]:
    """Yield the address of a page on another site."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()
