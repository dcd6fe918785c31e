"""Progress of long commands on stderr: a bar on a terminal, one line for any other long work."""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

from crisps24.messages.message import ENGLISH, Language, Message, as_message, message

_Item = TypeVar("_Item")

# Seconds of the processor after which a line is printed.
SECONDS_UNTIL_PRINTED = 5.0
# Key in `click.Context.meta`: the `Language` of --language.
LANGUAGE_KEY = "crisps24.spoken"
# The timer that prints the line of the current command.
_timer: threading.Timer | None = None


def current_language() -> Language:
    """Return the language of --language, or English."""
    context = click.get_current_context(silent=True)
    language: Language = context.meta.get(LANGUAGE_KEY, ENGLISH) if context else ENGLISH
    return language


@contextmanager
def reporting_work(command: Callable[[], str]) -> Iterator[None]:
    """Print one line on stderr when the block has used the processor for some seconds."""
    # A timer has its own thread, without a current context.
    meta, start = click.get_current_context().meta, time.process_time()

    def check() -> None:
        seconds = time.process_time() - start
        if seconds < SECONDS_UNTIL_PRINTED:
            set_timer(SECONDS_UNTIL_PRINTED - seconds)
            return
        work = message("progress.work", command=command(), seconds=round(seconds))
        click.echo(f"crisps24: {work.text(meta.get(LANGUAGE_KEY, ENGLISH))}", err=True)

    def set_timer(seconds: float) -> None:
        global _timer
        _timer = threading.Timer(seconds, check)
        _timer.daemon = True
        _timer.start()

    set_timer(SECONDS_UNTIL_PRINTED)
    try:
        yield
    finally:
        stop_reporting()


def stop_reporting() -> None:
    """Print no line for this command, for example since it waits for a person."""
    if _timer is not None:
        _timer.cancel()


@contextmanager
def progress_bar(
    label: Message | str, total: int, *, shown: bool = True
) -> Iterator[Callable[[int], object] | None]:
    """Show a bar on a terminal during the block, and give a function that advances it.

    The function takes the number of items that are newly finished:

        with progress_bar("rows", 1_000_000) as progress:
            progress(500)
    """
    if not (shown and sys.stderr.isatty()):
        yield None
        return
    stop_reporting()
    text = as_message(label).text(current_language())
    with click.progressbar(
        length=total, label=text, file=sys.stderr, show_pos=True, width=0
    ) as bar:
        yield bar.update


def report_each(
    items: Iterable[_Item], progress: Callable[[int], object] | None
) -> Iterator[_Item]:
    """Yield items unchanged; call `progress(1)`, if it is not None, after each was used."""
    for item in items:
        yield item
        if progress is not None:
            progress(1)
