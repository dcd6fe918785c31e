"""Options of all commands, from the parameters that the commands declare, and the rule --most."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import pytest

from crisps24.cli.options import OutputPath, lazy_imports
from crisps24.cli.program import cli
from tests.commands import Run, command_of
from tests.tables import lines_of

ARGUMENTS = {"results": ["24"], "count": ["24"], "audit": ["a.csv"], "mark": ["a.csv"]}


COMMANDS = [command_of(name) for name in cli.commands]
OPTIONS = [
    (command.name or "", param)
    for command in COMMANDS
    for param in command.params
    if isinstance(param, click.Option) and isinstance(param.type, click.Path)
]
OUTPUTS = [(name, param.opts[0]) for name, param in OPTIONS]


def test_output_file_named_dash_is_refused(run: Run) -> None:
    Path("a.csv").write_text("name,1 cards:3.8=24\nAnn,3 x 8\n")
    for command, option in OUTPUTS:
        ran = run(command, *ARGUMENTS.get(command, []), option, "-")
        assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert f"'{option}': - is not a name" in ran.err
        assert list(Path().iterdir()) == [Path("a.csv")]


def test_every_path_option_is_an_output_path() -> None:
    assert len(OUTPUTS) > 8
    assert {"results --dir", "sheet --class", "play --log"} <= {*map(" ".join, OUTPUTS)}
    assert all(isinstance(param.type, OutputPath) for _, param in OPTIONS)


def test_help_explains_the_game_and_names_the_options_of_its_rules(run: Run) -> None:
    out = run("solve --help").out
    assert "\n  --game GAME  Play by the rules of this game;" in out
    assert "\n  Also --numbers, --large-tiles, --operators," in out


def test_option_that_is_always_refused_is_not_offered(run: Run) -> None:
    for commands, offered in (
        (("results", "count", "formulas", "solve", "deal", "audit"), False),
        (("reach", "check", "judge", "mark"), True),
    ):
        for command in commands:
            out = run(f"{command} --help-rules").out.replace("repeating dec", "")
            found = [each in out for each in ("decimals", "repeating", "signed", "nesting")]
            assert found == [offered] * 4, command


def test_quotes_are_advised_if_the_words_make_one_formula(run: Run) -> None:
    for words, advised in (
        *(("4 + 3 x 8 - 4", True), ("4 + 3 x 8 - 4 = 24", True), ("4 + 3 x 8 - 4 = 25", False)),
        *(("4 + 3 x", False), ("4+3x8-4 1+", False), ("1+ 4+3x8-4", False), ("4+3x8 -4", False)),
        ("4 3 8 4", False),
    ):
        assert ("in quotes" in run(f"check -- {words}").err) is advised, words


def test_level_has_words_in_every_language(run: Run) -> None:
    line = "deal cards --seed 1 --format jsonl --level"
    easy, hard = run(f"{line} 1"), run(f"{line} 5")
    for word in (*"易难", "easy", "makkelijk", "Fácil", "LEICHT", "facile"):
        assert run(line, word) == (hard if word == "难" else easy), word


def test_range_that_is_no_misspelling_gets_no_suggestion(run: Run) -> None:
    # test_refusals.py has misspelled ranges.
    for line in ("count 24,30", "count 30-24"):
        ran = run(line)
        assert (ran.status, "did you mean" in ran.err) == (2, False)


def test_verify_of_a_folder_checks_its_results_files(run: Run) -> None:
    assert "has no results files" in run("verify .").err
    assert run("results 143 24 --dir .").status == 0
    Path("notes.txt").write_text("x")
    rows = run("verify . --format csv").rows
    assert [row["file"] for row in rows] == ["results.24", "results.143"]
    Path("results.24").write_text("x")
    assert [run(f"verify .{more}").status for more in ("", " --target 24")] == [1, 2]


def test_warning_names_the_game_of_the_numbers(run: Run) -> None:
    tiles = "100 75 50 25 6"
    for words, warning in (
        (f"{tiles} 3 --target 952", "these are tiles of countdown: add --game countdown"),
        ("3 3 8 13", "these are numbers of cards: add --game cards"),
        ("0 3 8 9", "these are numbers of make10: add --game make10"),
        *((f"{tiles} 3 --target 952 --game cards", ""), (f"{tiles} 7 8 --target 952", "")),
        ("4 3 8 4", ""),
    ):
        ran = run(f"solve {words}")
        found = [line for line in ran.err.splitlines() if line.startswith("these are")]
        assert (ran.status in (0, 1), found) == (True, [warning] if warning else []), words


LAZY = """
with lazy_imports(globals()):
    from slow import ends, fails
    from slow import ends as same
"""


def test_lazy_import_loads_whole_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "ends.py").write_text("import time\ntime.sleep(0.2)\nlast = []\n")
    (tmp_path / "slow" / "fails.py").write_text("first = 1\nraise ValueError('never whole')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    names: dict[str, Any] = {"lazy_imports": lazy_imports}
    exec(LAZY, names)
    assert not {"slow", "slow.ends", "slow.fails"} & {*sys.modules}
    lazy = names["ends"]
    with ThreadPoolExecutor(4) as pool:
        [last] = {id(found) for found in pool.map(lambda _: lazy.last, range(4))}
    # Each lazy name is replaced when it is used itself.
    assert names["same"].last is sys.modules["slow.ends"].last
    assert last == id(names["same"].last)
    assert names["same"] is names["ends"] is sys.modules["slow.ends"]
    for _ in range(2):
        with pytest.raises(ValueError, match="never whole"):
            _ = names["fails"].first


def test_only_the_module_of_the_block_imports_lazily() -> None:
    names: dict[str, Any] = {}
    with lazy_imports({}):
        exec("from crisps24.rules.games import GAMES", names)
    assert "crisps" in names["GAMES"]


def test_no_result_is_above_the_limit(run: Run) -> None:
    # A status, a call, and a part of its output.
    for row in lines_of("cli/limits.txt"):
        status, line, message = row.split(" => ")
        ran = run(line)
        assert (ran.status, message in ran.out + ran.err) == (int(status), True), line


def test_file_with_a_limit_is_right_only_with_it(run: Run) -> None:
    assert run("results 18 --most 20").status == 0
    # The folder is named after the limit.
    for path, status in (("results/most=20/results.18", 0), ("results", 0), ("results.18", 1)):
        if status:
            Path("results/most=20/results.18").rename(path)
        assert run(f"verify {path}").status == status
        assert status == 0 or run(f"verify {path} --most 20").status == 0
