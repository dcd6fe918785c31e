"""Files of outputs as tools write them, and puzzles inside prompts."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from crisps24 import GAMES, deal, judge
from crisps24.errors import RefusedError
from crisps24.judging.prompts import read_prompt
from crisps24.messages.languages import LANGUAGES
from crisps24.puzzles.parameters import ANSWER_FORMS
from crisps24.puzzles.rows import Prompt
from crisps24.rules.ids import parse_id
from tests.commands import Ran, Run
from tests.sampling import in_one_test

TOOLS = Path(__file__).parents[1] / "data" / "tools"
TRUTH = json.loads((TOOLS / "truth.json").read_text("utf-8"))


@pytest.fixture
def judged(run: Run) -> Callable[[object], Ran]:
    """Return a function that judges a row, or the rows of a file."""

    def judge_file(rows: object) -> Ran:
        if not isinstance(rows, Path):
            Path("a.jsonl").write_text(json.dumps(rows), "utf-8")
        return run(f"judge --format jsonl --file {rows if isinstance(rows, Path) else 'a.jsonl'}")

    return judge_file


@in_one_test("name", *TRUTH)
def test_files_of_tools_are_judged(name: str, judged: Callable[[object], Ran]) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="Parquet needs the extra `data`")
    ran, expected = judged(TOOLS / name), TRUTH[name]["verdicts"]
    verdicts = ["named" if row["verdict"] == "unreadable" else row["verdict"] for row in ran.rows]
    assert verdicts == (expected or ["named"] * len(ran.rows))
    assert expected or "join both by custom_id" in ran.err


def test_each_sample_has_a_row(judged: Callable[[object], Ran]) -> None:
    row = {"id": 7, "nums": [3, 8], "target": 24}
    ran = judged(row | {"responses": ["3*8", "3+8"]})
    kept = [[each[name] for name in ("id", "sample", "responses", "verdict")] for each in ran.rows]
    assert kept == [[7, 1, "3*8", "right"], [7, 2, "3+8", "wrong"]]
    assert ([each["line"] for each in ran.rows], "read as" in ran.err) == ([1, 1], False)
    for name in ("responses", "answer"):
        ran = judged(row | {name: {"formula": "3*8"}})
        assert [(each["verdict"], each["score"]) for each in ran.rows] == [("unreadable", None)]
        assert f"{name}' is an object with formula" in ran.err.replace('"', "'")


def test_an_unread_prompt_is_said(judged: Callable[[object], Ran]) -> None:
    for prompt, said in (
        ("Play with 3 and 8.", "'prompt' is no puzzle that is read"),
        ("Make 24 from 3 8, or make 11 from 3 8.", "it has several puzzles"),
        ("Use 1, 2, 3 to make 6: 1+2+3. Now 4 7 8 8.", "it has several puzzles"),
        ("Make 24 from 3 8 without division.", "it has rules of its own (without): name"),
    ):
        ran = judged({"prompt": prompt, "completion": "3*8"})
        assert [row["verdict"] for row in ran.rows] == ["unreadable"]
        assert (said in ran.err, "--card" in ran.err) == (True, False)
    # The numbers of the row count more than those of its prompt, which has the target.
    row = {"prompt": "Make 24 from 3 9.", "nums": [3, 8], "completion": "3*8"}
    assert judged(row).rows[0]["verdict"] == "right"


@in_one_test(
    ("text", "fields"),
    ("Using the numbers [44, 19, 35], create an equation that equals 98.", ([44, 19, 35], 98)),
    ("Calculate 22 using all of these numbers: 9, 5, 8.\n1. Use", ([9, 5, 8], 22)),
    ("Find a way to make 4 using some or all of the numbers: 9, 5, 8.", ([9, 5, 8], 4, False)),
    ("Numbers: 4 7 8 8\nTarget: 24", ([4, 7, 8, 8], 24)),
    ("Target: 98\nNumbers: 44, 19, 35", ([44, 19, 35], 98)),
    ("(+ - * /) to obtain 24. Each step, two.\nInput: 4 9 10 13\n", ([4, 9, 10, 13], 24)),
    (
        "(+ - * /) to obtain 24. Each step, two.\nInput: 4 4 6 8\n4 + 8 = 12 (left: 4 6 12)\n"
        "Answer: (6 - 4) * (4 + 8)\nInput: 2 9 10 12\nAnswer: 2\nInput: 4 9 10 13\nSteps:",
        ([4, 9, 10, 13], 24),
    ),
    ("Current State: 98:[44, 19, 35], Operations: []", ([44, 19, 35], 98)),
    ("Use the numbers 1 to 9 to make 100.", ()),
    ("Using the numbers 3, 3, 8, 8 in up to 3 steps, make 24.", ()),
    ("Make 24 from 3.5, 3, 8", ()),
)
def test_puzzles_in_prompts(text: str, fields: tuple[Any, ...]) -> None:
    assert tuple(read_prompt(text).values()) == fields


@in_one_test("name", "crisps", "cards", "countdown", "krypto")
def test_own_prompts_have_the_rules_of_their_game(name: str) -> None:
    [puzzle] = deal(name, 1, seed=2)
    prompt = Prompt("The numbers are {numbers}. {rules}").fill(puzzle)
    for language, form in product(LANGUAGES.values(), ANSWER_FORMS):
        own = Prompt(language=language, answer=form, has_unsolvable=form == "tags").fill(puzzle)
        assert own.startswith(prompt) == (language.name == "en")
        for text in (prompt, own):
            fields = read_prompt(text)
            assert (tuple(fields["nums"]), fields["target"]) == (puzzle.hand, puzzle.target)
            for rule in ("step_rules", "all_numbers"):
                assert getattr(GAMES[fields["game"]], rule) == getattr(puzzle.game, rule)
    with pytest.raises(RefusedError, match="it has rules of its own"):
        read_prompt(f"{prompt} Every result is a positive number.")


@in_one_test(
    ("name", "changes"),
    ("cards", {"numbers": range(1, 100), "length": 3, "target": 40}),
    ("cards", {"fractions": False}),
    ("cards", {"negatives": False, "length": 5}),
    ("cards", {"zero": False, "parentheses": False}),
    ("crisps", {"length": 5}),
    ("countdown", {"all_numbers": True}),
)
def test_own_prompts_have_changed_rules(name: str, changes: dict[str, Any]) -> None:
    game = replace(GAMES[name], **changes)
    [puzzle] = deal(game, 1, seed=2)
    rules = ("parentheses", "fractions", "negatives", "zero", "all_numbers")
    for language in LANGUAGES.values():
        fields = read_prompt(Prompt(language=language).fill(puzzle))
        known = parse_id(fields["id"])[0] if "id" in fields else GAMES[fields["game"]]
        assert [getattr(known, rule) for rule in rules] == [getattr(game, rule) for rule in rules]
        hand = parse_id(fields["id"])[1] if "id" in fields else tuple(fields["nums"])
        assert sorted(hand) == sorted(puzzle.hand)
        # An answer that another rule allows is not right.
        assert judge(puzzle.answer(), hand, puzzle.target, known).verdict == "right"
    if changes == {"fractions": False}:
        assert judge("8 / (3 - 8 / 3)", (3, 3, 8, 8), 24, known).verdict == "illegal"


@in_one_test("name", *list(LANGUAGES))
def test_what_prompts_ask_for_is_read_first(name: str) -> None:
    before = "3 + 3 = 6, and 6 + 8 + 8 is not 24.\nAnswer: 3 + 3 + 8 + 8\n"
    language, hard = LANGUAGES[name], "8 / (3 - 8 / 3)"
    for form in ("tags", "boxed", "line"):
        *_, asked = Prompt(language=language, answer=form, has_unsolvable=True).format.split("\n")
        claim = re.split("[:：] ?", asked)[-1].rstrip(".。")
        label = re.search(r"\w+ ?[:：]", asked)
        assert label
        shown = {"tags": "<answer>{}</answer>", "boxed": "\\boxed{{{}}}", "line": label[0] + " {}"}
        for text, game, hand in ((hard, "ok", (3, 3, 8, 8)), (claim, "no-solution", (1, 1, 1, 1))):
            answer = before + shown[form].format(text)
            for whole in (answer, f"{asked}\n{answer}", f"{answer}\n\n"):
                assert judge(whole, hand, 24).code == game, whole


def test_rules_for_other_hands_are_said(run: Run) -> None:
    Path("a").write_text('{"nums": [44, 19, 35], "target": 98, "text": "44+19+35"}\n', "utf-8")
    said = "the hands are not of countdown, where numbers can be left out, and results are limited"
    for command in ("judge --file a", "audit a"):
        assert said in run(f"{command} --game countdown").err
        assert said not in run(command).err


def test_an_audit_reads_prompts_and_names_keys_that_are_not_read(run: Run) -> None:
    row = {"id": 1, "prompt": [{"role": "user", "content": "Make 24 from 3 8."}], "answer": "3+8"}
    Path("a").write_text(json.dumps(row | {"solution": "3*8"}), "utf-8")
    out = run("audit a").out
    read = "columns read: key = answer, hand and target = prompt; keys that are not read: solution"
    assert out.startswith(f"{read}\n")
    assert "the key is wrong: it makes 11, not 24" in out
