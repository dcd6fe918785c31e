"""`python -m crisps24` is the command line, and what is installed as `crisps24` may begin here."""

import os
import signal
import sys

_STOPPED = 128 + signal.SIGINT

# numpy begins a thread for each core to multiply large matrices, of which there are none here: that
# is a quarter of what a process of ours begins with.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> int:
    """Run the command line and return its exit status; Ctrl-C ends it while it is imported too."""
    before = signal.getsignal(signal.SIGINT)
    # A signal that is ignored stays so.
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    try:
        from crisps24.cli.program import main as run
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        return run()
    except KeyboardInterrupt:
        sys.stderr.write("crisps24: stopped\n")
        return _STOPPED


def _stop(*_: object) -> None:
    """End at once: nothing is begun yet, and an exception could be lost in an import."""
    os.write(2, b"crisps24: stopped\n")
    os._exit(_STOPPED)


if __name__ == "__main__":
    sys.exit(main())
