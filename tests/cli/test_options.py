"""Options of all commands, from the parameters that the commands declare."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from crisps24.cli.options import OutputPath
from crisps24.cli.program import cli, main

ARGUMENTS = {"results": ["24"], "count": ["24"], "audit": ["a.csv"], "mark": ["a.csv"]}


def commands() -> Iterator[click.Command]:
    for name in cli.commands:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        yield command


OUTPUTS = [
    (command.name or "", param.opts[0])
    for command in commands()
    for param in command.params
    if isinstance(param.type, click.Path) and isinstance(param, click.Option)
]


@pytest.mark.parametrize(("command", "option"), OUTPUTS)
def test_output_file_named_dash_is_refused(
    command: str,
    option: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("name,1 cards:3.8=24\nAnn,3 x 8\n")
    before = sorted(tmp_path.iterdir())
    assert main([command, *ARGUMENTS.get(command, []), option, "-"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"'{option}': - is not a name" in err
    assert sorted(tmp_path.iterdir()) == before


def test_every_path_option_is_an_output_path() -> None:
    assert len(OUTPUTS) > 8
    assert {"results --dir", "sheet --class", "play --log"} <= {
        " ".join(names) for names in OUTPUTS
    }
    for command in commands():
        for param in command.params:
            if isinstance(param, click.Option) and isinstance(param.type, click.Path):
                assert isinstance(param.type, OutputPath)


@pytest.mark.parametrize("command", ["results", "count", "formulas", "solve", "deal", "audit"])
@pytest.mark.parametrize("option", ["--decimals", "--repeating", "--signed", "--nesting"])
def test_option_that_is_always_refused_is_not_offered(
    command: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--help-rules"]) == 0
    assert option.removeprefix("--") not in capsys.readouterr().out.replace("repeating dec", "")
    for command_with_it in ("reach", "check", "judge", "mark"):
        assert main([command_with_it, "--help-rules"]) == 0
        assert option.removeprefix("--") in capsys.readouterr().out


def test_formula_in_quotes_gets_no_advice_to_quote(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "4+3x8-4", "1+"]) == 1
    out, err = capsys.readouterr()
    assert "a number is missing after +" in out
    assert "quotes" not in err


@pytest.mark.parametrize(
    ("words", "advised"),
    [
        *(("4 + 3 x 8 - 4", True), ("4 + 3 x 8 - 4 = 24", True), ("4 + 3 x 8 - 4 = 25", False)),
        *(("4 + 3 x", False), ("4+3x8-4 1+", False), ("1+ 4+3x8-4", False), ("4+3x8 -4", False)),
        ("4 3 8 4", False),
    ],
)
def test_quotes_are_advised_if_the_words_make_one_formula(
    words: str, advised: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", "--", *words.split()])
    assert ("in quotes" in capsys.readouterr().err) is advised


@pytest.mark.parametrize("word", [*"易难", "easy", "makkelijk", "Fácil", "LEICHT", "facile"])
def test_level_has_words_in_every_language(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    level = "5" if word == "难" else "1"
    call = ["deal", "cards", "--seed", "1", "--format", "jsonl", "--level"]
    assert main([*call, level]) == 0
    expected = capsys.readouterr().out
    assert main([*call, word]) == 0
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        *(("count 24-30", "24..30"), ("count 24,25", "24..25"), ("24-30", "24..30")),
        *(("deal countdown --targets 24-30", "24..30"), ("deal cards --level 2-4", "2..4")),
        *(("count 24,30", ""), ("count 30-24", "")),
    ],
)
def test_misspelled_range_gets_a_suggestion(
    words: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    err = capsys.readouterr().err
    assert (f"did you mean {meant}?" in err) if meant else ("did you mean" not in err)


def test_verify_of_a_folder_checks_its_results_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    assert "has no results files" in capsys.readouterr().err
    assert main(["results", "143", "24", "--dir", str(tmp_path)]) == 0
    (tmp_path / "notes.txt").write_text("x")
    capsys.readouterr()
    assert main(["verify", str(tmp_path), "--format", "csv"]) == 0
    names = [line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert names == [str(tmp_path / f"results.{target}") for target in (24, 143)]
    (tmp_path / "results.24").write_text("x")
    assert main(["verify", str(tmp_path)]) == 1
    assert main(["verify", str(tmp_path), "--target", "24"]) == 2


@pytest.mark.parametrize(
    ("words", "warning"),
    [
        (
            "solve 100 75 50 25 6 3 --target 952",
            "these are tiles of countdown: add --game countdown",
        ),
        ("solve 3 3 8 13", "these are numbers of cards: add --game cards"),
        ("solve 0 3 8 9", "these are numbers of make10: add --game make10"),
        ("solve 100 75 50 25 6 3 --target 952 --game cards", ""),
        ("solve 100 75 50 25 6 7 8 --target 952", ""),
        ("solve 4 3 8 4", ""),
    ],
)
def test_warning_names_the_game_of_the_numbers(
    words: str, warning: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) in (0, 1)
    err = capsys.readouterr().err
    assert (warning in err.splitlines()) if warning else ("these are" not in err)
