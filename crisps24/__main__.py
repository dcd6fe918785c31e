"""Start the command line: `python -m crisps24` and the installed command `crisps24`."""

# `signal` takes some milliseconds to import, in which Ctrl-C would show a traceback.
import _signal as signal  # type: ignore[import-not-found]
import os
import sys

# The exit status after Ctrl-C.
_STOPPED = 128 + signal.SIGINT

# By default numpy starts a thread per core to multiply large matrices: a quarter of the work to
# start a process. This package multiplies no matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> int:
    """Run the command line and return its exit status. Ctrl-C also works during imports."""
    # A parent process can have chosen to ignore the signal.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    try:
        from crisps24.cli.program import main as run

        status = run()
    except KeyboardInterrupt:
        sys.stderr.write("crisps24: stopped\n")
        status = _STOPPED
    # The process ends: more signals would disturb that.
    for number in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGINT)):
        signal.signal(number, signal.SIG_IGN)
    return status


def _stop(*_: object) -> None:
    """End the process at once: an import could suppress an exception."""
    os.write(2, b"crisps24: stopped\n")
    os._exit(_STOPPED)


if __name__ == "__main__":
    sys.exit(main())
