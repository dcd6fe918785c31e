"""The program: signals, a full disk, wrong calls, completion."""

import io
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from click.shell_completion import shell_complete

from crisps24 import write_results
from crisps24.__main__ import main as begin
from crisps24.cli.program import _COMMANDS, _stop, _Stopped, cli, main
from crisps24.output.tables import own_formats
from tests.commands import Run, command_of
from tests.sampling import in_one_test

PROGRAM = f"{shlex.quote(sys.executable)} -m crisps24"


def by_shell(line: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    options = {"capture_output": True, "text": True, "timeout": 120} | options
    return subprocess.run(["bash", "-c", line], **options)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_or_closed_stream_is_reported_in_one_line() -> None:
    for words, unbuffered in (("--help", "1"), ("deal crisps --count 3 --seed 1", "")):
        done = by_shell(f"PYTHONUNBUFFERED={unbuffered} {PROGRAM} {words} > /dev/full")
        assert (done.returncode, done.stderr) == (2, "crisps24: No space left on device\n")
    done = by_shell(f"{PROGRAM} check --file - <&-")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    for words in ("--help", "solve 3 3 8 8 --game cards", "games", "play </dev/null"):
        done = by_shell(f"{PROGRAM} {words} >&-")
        assert (done.returncode, done.stderr) == (2, "crisps24: Bad file descriptor\n")


def test_pipe_is_verified_like_a_file(run: Run, tmp_path: Path) -> None:
    assert run("143 --dir .").status == 0
    call = f"{PROGRAM} verify <(cat results.143) --target 143 --format json"
    done = by_shell(call, cwd=tmp_path)
    assert (done.returncode, done.stderr, '"verdict": "right"' in done.stdout) == (0, "", True)


def test_three_numbers_without_a_command_are_refused(run: Run) -> None:
    for line, both in (
        ("3 3 8 8", ("solve 3 3 8 8 --game cards", "results 3 8")),
        ("143 24 143", ("solve 143 24 143", "results 143 24")),
        ("1 2 3 --dir .", ("solve 1 2 3", "results 1 2 3")),
        ("３ ３ ８ ８", ("solve 3 3 8 8 --game cards", "results ３ ８")),
    ):
        status, out, err = run(line)
        assert (status, out, err.count("\n")) == (2, "", 1)
        for way in both:
            assert re.search(f"use crisps24 {way}(;|$)", err.rstrip())
        assert not list(Path().iterdir())


def test_signal_handlers_of_the_caller_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    old_handlers = {number: signal.getsignal(number) for number in numbers}
    digits = sys.get_int_max_str_digits()
    handlers: list[Any] = [signal.SIG_DFL, signal.SIG_IGN, lambda *_: None]
    try:
        for before in handlers:
            for words in (["check", "1 + 1 = 2"], ["check", "1 +"], ["nothing"], []):
                for number in numbers:
                    signal.signal(number, before)
                main(words)
                assert [signal.getsignal(number) for number in numbers] == [before] * 3
                assert sys.get_int_max_str_digits() == digits
        # An ignored signal stays ignored.
        for number in numbers[1:]:
            signal.signal(number, signal.SIG_IGN)
        seen: list[Any] = []
        look = lambda _: seen.extend(map(signal.getsignal, numbers[1:]))  # noqa: E731
        monkeypatch.setattr("crisps24.cli.program._run", look)
        main([])
        assert seen == [signal.SIG_IGN] * 2
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)


def test_program_runs_in_any_thread() -> None:
    statuses: list[int] = []
    running = threading.Thread(target=lambda: statuses.append(main(["check", "1 + 1 = 2"])))
    running.start()
    running.join()
    assert statuses == [0]


def test_any_error_is_one_printable_line(run: Run) -> None:
    for line in (
        *("games 'a\nb'", "games 'a\r\n\tb'", "'a\nb'", "check 1 '--fo\nrmat'", "count \u2028"),
        *("check 1 --format 'x\ny'", "check --file 'x\ny'", "check 1 --target '\n'"),
        *("check 1 --game '\n\x1b[2J'", "count 24 --card '\u202e\n'", "verify 'x\ny\x1b[2J'"),
    ):
        status, out, err = run(line)
        assert (status, out, err[-1:]) == (2, "", "\n")
        assert err[:-1].isprintable(), line


INTERRUPTED = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == "crisps24.cli.program":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from crisps24.__main__ import main
sys.exit(main())
"""


def test_nothing_is_imported_before_ctrl_c_is_handled() -> None:
    code = "import sys; old = {*sys.modules}; import crisps24.__main__"
    code += "; print(*{*sys.modules} - old)"
    out = subprocess.check_output([sys.executable, "-c", code], text=True, timeout=60)
    assert {*out.split()} <= {"crisps24", "crisps24.about", "crisps24.__main__", "_signal"}


def test_ctrl_c_during_import_is_reported_in_one_line() -> None:
    command = [sys.executable, "-c", INTERRUPTED, "check", "1 + 1 = 2"]
    # A background job can have Ctrl-C disabled.
    preamble = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    listening = [sys.executable, "-c", preamble + INTERRUPTED, *command[3:]]
    done = subprocess.run(listening, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "crisps24: stopped\n")
    # An ignored signal stays ignored.
    ignoring = ["bash", "-c", 'trap "" INT; exec "$@"', "bash", *command]
    done = subprocess.run(ignoring, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_without_a_handler_is_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    monkeypatch.setattr("crisps24.cli.program.main", Mock(side_effect=KeyboardInterrupt))
    try:
        assert begin() == 130
        # Nothing shows that more signals come while the process ends.
        assert {signal.getsignal(number) for number in numbers} == {signal.SIG_IGN}
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert capsys.readouterr().err == "crisps24: stopped\n"


def test_only_the_first_signal_stops_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", iter([5.0, 5.1, 5.9, 7.0]).__next__)
    monkeypatch.setattr(_Stopped, "handled_at", -1.0)
    for number, more in ((signal.SIGINT, 2), (signal.SIGTERM, 0)):
        with pytest.raises(KeyboardInterrupt):
            _stop(number, None)
        for _ in range(more):
            _stop(number, None)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has names of any bytes")
@pytest.mark.parametrize("form", [*own_formats(), "github"])
def test_file_name_with_invalid_bytes_is_printed(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = os.fsencode(tmp_path) + b"/odd\xff"
    write_results(143, tmp_path).rename(os.fsdecode(name))
    words = ["verify", os.fsdecode(name), "--target", "143", "--format", form]
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, "utf-8"))
    assert main(words) == 0
    sys.stdout.flush()
    output = out.getvalue()
    assert (capsys.readouterr().err, "odd" in output.decode()) == ("", True)
    if form == "csv":
        # A separate process prints the same name.
        ran = subprocess.run([sys.executable, "-m", "crisps24", *words], capture_output=True)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, output, b"")


START_UP = """
import os, sys
opened = []
sys.addaudithook(lambda name, args: opened.append(str(args[0])) if name == "open" else None)
from crisps24.cli.program import main
for line in sys.argv[1:]:
    opened.clear()
    before = {*sys.modules}
    main(line.split())
    new = {*sys.modules} - before
    commands = {name for name in new if name.startswith("crisps24.cli.")}
    commands -= {f"crisps24.cli.{name}" for name in ("options", "progress", "screen")}
    # The module of a command is forgotten, so that the next call imports its own.
    for name in commands:
        del sys.modules[name]
    texts = {os.path.basename(file) for file in opened if file.endswith(".toml")}
    print("LOADED", *sorted(commands | new & {"numpy", "tomllib"} | texts), file=sys.stderr)
"""
# Calls of one process, in order, and what each loads.
ROWS, CHECKS = "crisps24.cli.rows", "crisps24.cli.checks"
_OF_MEANT = "meanings needs spelling starts typed_files typed_words wrong_leads"
MEANT = " ".join(f"crisps24.cli.{name}" for name in _OF_MEANT.split()) + " meanings.toml tomllib"
LOADED = {
    **{"--help": "", "--version": "", "results --help": ROWS, "nothing": MEANT, "--nope": ""},
    **{"results abc": ROWS, "check 4+3*8-4": CHECKS},
    "check 4+3*8-5=24": f"{CHECKS} en.toml",
    "check 4+3*8-4=25 --language nl": f"{CHECKS} nl.toml",
    **{"count 24 --format nope": ROWS, "serve --help": "crisps24.cli.serving"},
    **{"24 --length 1": f"{ROWS} numpy", "count 24": ROWS},
    "solve 4 3 8 4": "crisps24.cli.rows crisps24.cli.solving",
    "play cards --count 1 --language de": "crisps24.cli.choosing crisps24.cli.playing de.toml",
}


def test_call_imports_only_its_command_and_loads_only_needed_texts(tmp_path: Path) -> None:
    command = [sys.executable, "-c", START_UP, *LOADED]
    done = subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True)
    found = re.findall("^LOADED ?(.*)$", done.stderr.decode(), re.M)
    assert dict(zip(LOADED, found, strict=True)) == LOADED


def test_list_of_commands_has_the_first_sentence_of_each_help() -> None:
    for some in _COMMANDS.values():
        for name, (_, output) in some.items():
            command = command_of(name)
            assert (command.name, (command.help or "").split("\n")[0]) == (name, output)


@in_one_test(
    ("words", "offered", "kind"),
    ("crisps24 s", ["solve", "sheet", "survey", "serve"], "plain"),
    ("crisps24 count --to", ["--top"], "plain"),
    ("crisps24 check --style ", ["crisps", "cards", "polish"], "plain"),
    ("crisps24 deal c", ["crisps", "cards", "countdown"], "plain"),
    ("crisps24 sheet n", ["numble"], "plain"),
    ("crisps24 survey crisps d", ["digits"], "plain"),
    ("crisps24 solve 3 3 8 8 --game ca", ["cards"], "plain"),
    ("crisps24 games --format js", ["json", "jsonl"], "plain"),
    ("crisps24 games --format git", ["github"], "plain"),
    ("crisps24 count --format bf", ["bfile"], "plain"),
    ("crisps24 formulas --format t", ["text", "tsv"], "plain"),
    ("crisps24 quiz --language z", ["zh-Hans"], "plain"),
    ("crisps24 mark class.csv --language ", ["en", "nl", "es", "de", "fr", "zh-Hans"], "plain"),
    ("crisps24 mark cl", ["cl"], "file"),
    ("crisps24 check --file fo", ["fo"], "file"),
    ("crisps24 sheet --out ca", ["ca"], "file"),
    ("crisps24 verify results", ["results"], "file"),
    ("crisps24 results 24 --dir re", ["re"], "dir"),
)
def test_shell_completes_commands_options_values(words: str, offered: list[str], kind: str) -> None:
    last = words.split(" ")[-1]
    for shell in ("bash", "zsh", "fish"):
        printed = io.TextIOWrapper(io.BytesIO(), "utf-8")
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
            patch.setenv("COMP_WORDS", words)
            patch.setenv("COMP_CWORD", last if shell == "fish" else str(words.count(" ")))
            task = f"{shell}_complete"
            assert shell_complete(cli, {}, "crisps24", "_CRISPS24_COMPLETE", task) == 0
        printed.flush()
        lines = printed.buffer.getvalue().decode().splitlines()
        if "," not in lines[0]:
            # Three lines per value: its type, the value, its help. click 8.4 does so for fish, too.
            pairs = list(zip(lines[::3], lines[1::3], strict=True))
        else:
            # fish shows the help of an option after a tab.
            pairs = [line.partition("\t")[0].partition(",")[::2] for line in lines]
        assert {(kind, name) for name in offered} <= set(pairs)
        assert all(name.startswith(last) for _, name in pairs)


def test_installed_script_completes() -> None:
    asked = {"_CRISPS24_COMPLETE": "zsh_complete", "COMP_WORDS": "crisps24 so", "COMP_CWORD": "1"}
    done = by_shell(PROGRAM, env=os.environ | asked)
    assert (done.stderr, "solve" in done.stdout.splitlines()) == ("", True)


def test_internal_error_has_its_own_exit_status(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("not enough \x1b values")

    monkeypatch.setattr("crisps24.cli.solving.show", broken)
    ran = run("games")
    assert ran.status == 70
    assert ran.err.startswith("crisps24: internal error: ValueError in test_program.py, line ")
    assert ran.err.endswith("not enough \\x1b values\n")
