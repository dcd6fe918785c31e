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
def test_no_file_is_named_with_a_dash(
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


def test_every_path_of_an_option_is_written() -> None:
    assert len(OUTPUTS) > 8
    assert {"results --dir", "sheet --class", "play --log"} <= {" ".join(each) for each in OUTPUTS}
    for command in commands():
        for param in command.params:
            if isinstance(param, click.Option) and isinstance(param.type, click.Path):
                assert isinstance(param.type, OutputPath)
