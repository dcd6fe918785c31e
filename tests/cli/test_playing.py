"""Playing: from a pipe line by line, and at a terminal of 60 columns as people do."""

import fcntl
import json
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from crisps24 import GAMES, Game
from crisps24.cli.playing import draw_hand
from crisps24.judging.table_rows import MAX_INPUT_LINE_BYTES
from crisps24.messages.message import ENGLISH
from crisps24.puzzles.daily import daily
from crisps24.rules.games import HAND_GAMES, plain_name
from crisps24.rules.words import format_time
from tests.cli.scripted import scripted
from tests.cli.test_screen import all_of, lines_on_a_terminal
from tests.sampling import in_one_test
from tests.waiting import wait_until

PROGRAM = [sys.executable, "-m", "crisps24"]
ID = "cards:4.6.8.10=24"
ENDED = "crisps24: stopped"


def test_play_from_a_pipe_draws_no_card() -> None:
    typed = "10 - 4 = 7\n4+6+8+10\n?\n10-6=4\n4 x 4 + 8\n"
    done = subprocess.run([*PROGRAM, "play", ID], input=typed.encode(), capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    untimed = re.sub("[0-9]:[0-9]{2}", "0:00", done.stdout.decode())
    assert untimed == re.sub("[0-9]:[0-9]{2}", "0:00", scripted(typed, ID).stdout.decode())
    assert untimed.splitlines() == [
        *("", f"1 of 1 · {ID} · level 4 of 5", "make 24 from 4 6 8 10", "10 - 4 = 7"),
        *("         ^", "10 - 4 makes 6, not 7", "it makes 28, not 24", "try 10 - 6 = 4"),
        *("left: 4 8 4", "correct: (10 - 6) x 4 + 8 = 24 (0:00)", ""),
        "Puzzle              Level  Time      Hints  Result",
        "----------------  -------  ------  -------  --------",
        *("24 from 4 6 8 10        4  0:00          1  correct", "", "1 of 1 correct in 0:00"),
    ]


def test_printed_command_plays_the_same_puzzles_again() -> None:
    first = scripted("\n\n", "krypto", "--count", "2").stdout.decode()
    words = shlex.split(first.splitlines()[-1].partition(": ")[2])
    assert words[:3] == ["crisps24", "play", "krypto"]
    assert scripted("\n\n", *words[2:]).stdout.decode() == first


def test_missing_level_does_not_reveal_an_impossible_target() -> None:
    dealt = ("countdown", "--count", "6", "--seed", "1", "--large", "0", "--targets", "900..999")
    output = scripted("\n" * 6, *dealt, "--closest").stdout.decode()
    assert len(re.findall(r"^. of 6 · countdown:[0-9.]+=9\d\d$", output, re.MULTILINE)) == 6
    output = scripted("\n", "countdown", "--seed", "1").stdout.decode()
    assert re.match(r"\n1 of 5 · countdown:[0-9.]+=\d+ · level [1-5] of 5\n", output)
    # An impossible target has no level.
    output = scripted("?\n", "cards:1.1.1.1=24").stdout.decode()
    assert output.startswith("\n1 of 1 · cards:1.1.1.1=24\nmake 24 from 1 1 1 1")
    assert "24 cannot be made from 1 1 1 1" in output


def test_line_of_a_pipe_is_answered_before_the_next() -> None:
    command, pipe = [*PROGRAM, "play", ID, "--seconds", "60"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for line, last in [
            (b"", "make 24 from 4 6 8 10 · 60 s left"),
            (b"10 - 6 = 4\n", r"left: 4 8 4 · \d+ s left"),
            (b"?\n", r"try 4 x 4 = 16 · \d+ s left"),
        ]:
            running.stdin.write(line)
            running.stdin.flush()
            output = running.stdout.readline().decode()
            while not re.fullmatch(last + "\n", output):
                assert output in ("\n", f"1 of 1 · {ID} · level 4 of 5\n")
                output = running.stdout.readline().decode()
        running.stdin.close()
        assert running.wait(timeout=60) == 0


@in_one_test(
    "typed",
    *(b"\x1b[2J\x1b]0;owned\x07 = 3\n", b"\xfe\xfe\xfa + 3 = \x80\n", b"4 \x00 + 6 = 10\n"),
    *(b"\xe2\x80\xae10 - 6 = 4\n", b"+" * 10_000_000 + b"\n", b"10 - 6 = 4, " * 9_000 + b"\n"),
)
def test_any_input_is_answered_in_printable_lines(typed: bytes) -> None:
    done = scripted(typed + b"(10 - 6) x 4 + 8\n", ID)
    assert (done.stderr, b"1 of 1 correct" in done.stdout) == (b"", True)
    too_long = b"\na line has at most 100,000 bytes\n"
    assert done.stdout.count(too_long) == (len(typed) > MAX_INPUT_LINE_BYTES)
    assert max(map(len, done.stdout.splitlines())) < 300
    assert done.stdout.decode().replace("\n", "").isprintable()


def test_time_is_shown_in_minutes_and_seconds() -> None:
    times = {0: "0:00", 59.4: "0:59", 59.6: "1:00", 61: "1:01", 119: "1:59", 3600: "60:00"}
    assert dict(zip(times, map(format_time, times), strict=True)) == times


def test_numbers_of_the_call_are_played() -> None:
    for line, named in (
        ("'4 3 8 4'", "crisps:4.3.8.4=24"),
        ("4 3 8 4", "crisps:4.3.8.4=24"),
        ("4,3,8,4 --target 23", "crisps:4.3.8.4=23"),
        ("4384 --parentheses", "crisps:4.3.8.4=24,parentheses=yes"),
        ("cards 3 3 8 8", "cards:3.3.8.8=24"),
        ("cards A 5 Q 7", "cards:1.5.12.7=24"),
    ):
        out = scripted("q\n", *shlex.split(line)).stdout.decode()
        assert out.lstrip().splitlines()[0].split(" · ")[1] == named
    warning = b"warning: 24 cannot be made from 1 1 1 1\n"
    # A game that accepts the closest value has a solution.
    for line, said in (("1 1 1 1", warning), ("countdown 1 2 3 --target 999", b"")):
        assert scripted("q\n", *line.split()).stderr == said


def test_help_shows_the_keys() -> None:
    for typed, game, count in (("help\n HELP \nq\n", ID, 2), ("help\n", "equation", 1)):
        lines = scripted(typed, game).stdout.decode().splitlines()
        assert lines.count(ENGLISH.text("round.help")) == count


def test_reply_to_a_guess_shows_its_number_of_six() -> None:
    out = scripted("4+5=9\n4 + 5 = 9\n1+1=2\n", "equation", "--length", "5", "--seed", "1")
    lines = out.stdout.decode().splitlines()[3:6]
    assert [line.partition(" · ")[2] for line in lines] == [f"guess {n} of 6" for n in (1, 2, 3)]


def test_log_has_a_line_per_puzzle(tmp_path: Path) -> None:
    log = tmp_path / "times.jsonl"
    for _ in range(2):
        scripted("4 + 9\n?\n(10 - 6) x 4 + 8\n", ID, "--log", str(log))
    first, second = map(json.loads, log.read_text().splitlines())
    assert first == {
        **{"id": ID, "bits": 6.425, "level": 4, "seconds": ANY, "hints": 1, "wrong": 1},
        **{"result": "right", "at": ANY},
    }
    assert isinstance(first["seconds"], float)
    moment = datetime.fromisoformat(str(second["at"]))
    assert moment.utcoffset() is not None
    assert abs(moment.timestamp() - time.time()) < 60


def test_daily_puzzle_is_fixed_and_the_streak_is_shown(tmp_path: Path) -> None:
    log, outputs = tmp_path / "days.jsonl", []
    for day, answer, count in (
        ("2026-11-20", daily("cards", date(2026, 11, 20))[0].answer(), "1 day in a row"),
        ("2026-11-21", daily("cards", date(2026, 11, 21))[0].answer(), "2 days in a row"),
        ("2026-11-22", "?\n(6 + 2) x (9 - 6)", "3 days in a row"),
        ("2026-11-23", "!", "0 days in a row"),
        ("2026-11-23", daily("cards", date(2026, 11, 23))[0].answer(), "0 days in a row"),
    ):
        words = ("cards", "--daily", "--date", day, "--log", str(log))
        output = scripted(f"{answer}\n", *words).stdout.decode()
        assert output.splitlines()[-2] == count
        with log.open("ab") as file:
            # Lines without a daily puzzle are left out.
            file.write(b'{"daily": [], "id": 1}\n[]\n\xff\n' + b"[" * 10_000 + b"\n")
        outputs.append(output)
    *_, output, _, last = outputs
    begin = "\n22 Nov 2026 · cards:2.6.6.9=24 · level 4 of 5\nmake 24 from 2 6 6 9\n"
    assert output.startswith(begin)
    assert "\ncrisps24 · 22 Nov 2026 · 24 game, level 4 · 0:00, 1 hint ●●●●○\n" in output
    assert output.endswith("\ndrawing 5: crisps24 play cards --count 1 --seed 20261122\n")
    rows = [json.loads(line) for line in log.read_bytes().splitlines() if b"bits" in line]
    assert [row["result"] for row in rows] == ["right"] * 3 + ["shown"] * 2
    assert (rows[2]["daily"], rows[2]["id"]) == ("2026-11-22", "cards:2.6.6.9=24")
    # What is solved after its solution was shown is not solved.
    assert "correct: " in last
    assert " · not solved, no hints" in last


@in_one_test("game", *HAND_GAMES)
def test_every_game_has_a_daily_puzzle(game: str) -> None:
    # Fractions have no levels.
    level = r" · level \d of 5" * (game != "fractions24")
    output = scripted("", game, "--daily").stdout.decode()
    assert re.match(rf"\n\d+ [A-Z][a-z]+ 20\d\d · {game}:[0-9./]+=\d+{level}\n", output)
    assert re.search(rf"\ncrisps24 · .* · {plain_name(game)}.* · not solved, no hints", output)
    assert "in a row" not in output


def test_two_processes_append_whole_lines_to_one_log(tmp_path: Path) -> None:
    log = tmp_path / "times.jsonl"
    words = ["play", "crisps", "--count", "40", "--log", str(log), "--seed"]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    for process in [subprocess.Popen([*PROGRAM, *words, seed], **pipes) for seed in "12"]:
        process.communicate(b"\n" * 40, timeout=60)
    rows = [*map(json.loads, log.read_text().splitlines())]
    assert [list(row) for row in rows] == [list(rows[0])] * 80


class Terminal:
    def __init__(self, master: int, running: "subprocess.Popen[bytes]") -> None:
        self.master = master
        self.running = running
        self.sent = ""

    def until(self, awaited: str, seconds: float = 60) -> str:
        """Wait for a text after the earlier texts, and return the output up to it."""
        give_up = time.monotonic() + seconds
        while awaited not in self.sent:
            assert time.monotonic() < give_up, self.sent
            if select.select([self.master], [], [], 1)[0]:
                try:
                    some = os.read(self.master, 1 << 16).decode()
                except OSError:
                    break
                self.sent += re.sub(r"\x1b\[[?0-9;]*[A-Za-z]|\r", "", some)
        before, found, self.sent = self.sent.partition(awaited)
        assert found, before
        return before + found

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_for_the_prompt(self) -> None:
        """Wait for a prompt and until the process sleeps, so that it waits for a line."""
        self.until("> ")
        stat = Path(f"/proc/{self.running.pid}/stat")
        wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "S")

    def end(self) -> str:
        output = self.sent + all_of(os.dup(self.master)).decode()
        self.running.wait(timeout=60)
        return output.replace("\r", "")


@contextmanager
def terminal(*words: str, columns: int = 60) -> Iterator[Terminal]:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    streams: Any = dict.fromkeys(("stdin", "stdout", "stderr"), slave)

    def own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    call, env = [*PROGRAM, "play", *words], env | {"TERM": "xterm"}
    with subprocess.Popen(call, **streams, env=env, preexec_fn=own_terminal) as running:
        os.close(slave)
        try:
            yield Terminal(master, running)
        finally:
            if running.poll() is None:
                running.send_signal(signal.SIGKILL)
            os.close(master)


def test_terminal_shows_the_card_and_marks_errors_below_the_input() -> None:
    with terminal(ID) as played:
        output = played.until("> ")
        assert "│  10  │ 24  │  6   │" in output
        assert output.splitlines()[-2:] == ["  make 24 from 4 6 8 10", "> "]
        played.type("10 - 4 = 7\n")
        shown = played.until("\n> ").splitlines()[-3:]
        assert shown == ["           ^", "  10 - 4 makes 6, not 7", "> "]
        played.type("(10 - 6) x 4 + 8\n")
        assert "correct: (10 - 6) x 4 + 8 = 24" in played.until("1 of 1 correct")
        played.end()
        assert played.running.returncode == 0


@pytest.mark.parametrize(
    "game", [each for each in GAMES.values() if each.grouping == "standard"], ids=str
)
def test_nothing_is_wider_than_60_columns(game: Game) -> None:
    typed = "?\n(1 + 1\n" + "1" * 40 + "\n1 = 3\nr\n!\n"
    words = ["play", game.name, "--seed", "3", "--count", "1", "--seconds", "600"]
    output = "\n".join(lines_on_a_terminal(60, *words, typed=typed))
    assert output.count("> ") >= 6
    # Lines typed before the start do not end the line of a prompt.
    assert max(map(len, output.replace("> ", "> \n").splitlines())) <= 60
    assert "closest" in output or "shown" in output


def test_no_card_draws_no_card() -> None:
    output = "\n".join(lines_on_a_terminal(60, "play", ID, "--no-card", typed="q\n"))
    task, _, table = output.partition("> ")
    assert not set(task) & set("╭│╰─")
    assert " ".join(task.removeprefix("q\n").split()).startswith(ENGLISH.text("round.help"))
    assert "0 of 1 correct in 0:0" in table


@pytest.mark.parametrize("end", ["\x04", "\x03", signal.SIGTERM])
def test_results_are_shown_however_play_ends(end: Any) -> None:
    with terminal("crisps", "--seed", "7") as played:
        played.until("> ")
        played.type("\n")
        played.wait_for_the_prompt()
        (played.type if isinstance(end, str) else played.running.send_signal)(end)
        output = played.until("drawing 5: ") + played.end()
        assert "0 of 2 correct in 0:0" in output
        status = {"\x04": 0, "\x03": 130}.get(str(end), 128 + signal.SIGTERM)
        assert played.running.returncode == status
    assert (ENDED in output.splitlines()) == (status != 0)
    assert "Traceback" not in output


def test_time_ends_without_a_key() -> None:
    with terminal("countdown:75.50.25.6.3.1=725", "--seconds", "2") as played:
        played.until("2 s left")
        played.until("> ")
        played.type("(75 + 50) x 6 - 25 + 3\n")
        played.until("728 is 3 away")
        output = played.until("1 correct")
        assert "time is over; your 728 is 3 away: 7 points" in output
        assert "closest: 7" in output
        played.end()
        assert played.running.returncode == 0


def test_half_typed_line_does_not_answer_the_next_puzzle() -> None:
    with terminal("countdown", "--seed", "5", "--count", "2", "--seconds", "1") as played:
        played.until("1 s left")
        played.until("> ")
        played.type("75 +")
        played.until("press Enter for the next puzzle")
        played.until("> ")
        played.type(" 50\n")
        played.until("2 of 2")
        played.wait_for_the_prompt()
        played.type("q\n")
        assert "not finished" in played.until("0 of 2 correct")
    with terminal("countdown", "--seed", "5", "--count", "2", "--seconds", "1") as played:
        played.until("press Enter for the next puzzle")
        played.wait_for_the_prompt()
        played.type("q\n")
        played.until("0 of 1 correct")


@in_one_test(
    ("hand", "width", "wide"),
    *(((4, 6, 8, 10), 60, 22), ((4, 6, 8, 10), 20, 0), ((100, 75, 50, 25, 10, 9), 60, 37)),
    *(((1,), 60, 6), ((123_456, 1, 2, 3), 60, 37), ((10**29,) * 4, 60, 0)),
    ((-12, 3, 8, -123), 60, 22),
)
def test_card_shows_its_numbers_and_fits(hand: tuple[int, ...], width: int, wide: int) -> None:
    lines = draw_hand(hand, 24, width)
    assert max(map(len, lines), default=0) == wide
    numbers = re.findall(r"-?\d+", " ".join(lines))
    assert sorted(numbers) == (sorted(map(str, (*hand, 24))) if lines else [])
