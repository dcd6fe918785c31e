"""Measure public rewards and scorers on the short answers, and write the guide `judges.md`.

Run it from the top folder of the repository:

| command | result |
|---|---|
| `python -m tests.training.public_judges torchrl 24` | the verdict of one scorer on one answer |
| `python -m tests.training.public_judges --check` | measure installed scorers and compare |
| `python -m tests.training.public_judges --write` | measure them, write records and guide |

A scorer can evaluate the answers as Python code. So each scorer runs in a separate process, and
each answer in a fork of that process, with limits on CPU time and memory. A verdict is `yes`, `no`,
`raises` (an exception) or `stops` (a limit ended it); ` code` after it says that code of the answer
ran.

Records: `short-answers.csv` has the answers, written by hand; `public-judges.toml` the scorers;
`public-verdicts.csv` the verdicts.
"""

import csv
import io
import json
import multiprocessing
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any

TOP = Path(__file__).parents[2]
DATA = TOP / "tests" / "data"
VERDICTS = DATA / "public-verdicts.csv"
GUIDE = TOP / "crisps24" / "docs" / "judges.md"
# Everything from this heading to the end of the guide is generated.
GENERATED = "## Scorers\n"
TARGET = 24
# Limits for one answer: seconds of CPU time, seconds in all, and bytes above the scorer's own.
CPU_SECONDS, SECONDS, MEMORY = 10, 60, 2**30

Accepts = Callable[[str, list[int]], bool]
Verdicts = dict[str, list[str]]


@dataclass(frozen=True)
class Answer:
    number: int
    hand: list[int]
    place: str
    kind: str
    right: bool
    text: str
    why: str


@dataclass(frozen=True)
class Scorer:
    id: str
    name: str
    version: str
    source: str
    link: str
    packages: dict[str, str]
    form: str
    call: str
    range: str
    excludes: list[str]
    whole: str = "{}"

    def text_of(self, answer: Answer) -> str:
        return (self.form if answer.place == "answer" else self.whole).format(answer.text)

    def why_not_installed(self) -> str:
        """Return why the scorer cannot be measured here, or an empty text."""
        if not self.packages:
            return f"{self.name} does not install from the package index"
        for package, measured in self.packages.items():
            try:
                found = version(package)
            except PackageNotFoundError:
                return f"{package} is not installed"
            if measured not in ("", found):
                return f"{package} is {found}, and {measured} was measured"
        return ""


def read_answers() -> list[Answer]:
    with (DATA / "short-answers.csv").open(newline="", encoding="utf-8") as file:
        return [
            Answer(
                **{name: row[name] for name in ("place", "kind", "text", "why")},
                number=int(row["number"]),
                hand=[*map(int, row["hand"].split())],
                right=row["right"] == "yes",
            )
            for row in csv.DictReader(file)
        ]


def read_scorers() -> dict[str, Scorer]:
    records = tomllib.loads((DATA / "public-judges.toml").read_text(encoding="utf-8"))["scorer"]
    return {record["id"]: Scorer(**record) for record in records}


def read_verdicts() -> Verdicts:
    with VERDICTS.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return {name: [row[column] for row in rows] for column, name in enumerate(header) if column}


def write_verdicts(verdicts: Verdicts) -> None:
    with VERDICTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["number", *verdicts])
        for number, row in enumerate(zip(*verdicts.values(), strict=True), start=1):
            writer.writerow([number, *row])


# How each scorer is called. A loader imports the scorer; only the separate process calls it.


def load_torchrl() -> Accepts:
    parser = import_module("torchrl.envs.llm.reward.countdown").CountdownRewardParser

    def accepts(text: str, hand: list[int]) -> bool:
        expression = parser.extract_tags(text)[1]
        return bool(expression) and parser.validate_expression(expression, TARGET, hand)

    return accepts


def load_reasoning_gym(name: str) -> Accepts:
    score = import_module("reasoning_gym").create_dataset(name, size=1, seed=1).score_answer
    return lambda text, hand: score(text, {"metadata": {"numbers": hand, "target": TARGET}}) == 1


def load_tree_of_thoughts() -> Accepts:
    task = import_module("tot.tasks").get_task("game24")

    def accepts(text: str, hand: list[int]) -> bool:
        task.data = [" ".join(map(str, hand))]
        return bool(task.test_output(0, text)["r"] == 1)

    return accepts


def load_textpolicy() -> Accepts:
    # The whole package needs MLX of Apple. The reward does not compute with it, so only the package
    # of the task is imported, with a registry that registers nothing.
    package: Any = ModuleType("textpolicy")
    spec = find_spec("textpolicy")
    assert spec is not None
    package.__path__ = spec.submodule_search_locations
    registry: Any = ModuleType("textpolicy.rewards.registry")
    registry.reward = lambda name: lambda function: function  # noqa: ARG005
    for module in (package, ModuleType("textpolicy.rewards"), registry):
        sys.modules[module.__name__] = module
    reward = import_module("textpolicy.tasks.countdown.reward").countdown_reward
    return lambda text, hand: reward("", text, {"numbers": hand, "target": TARGET}) == 1


def load_longproc() -> Accepts:
    # lm-eval also loads the file by its path, as `!function metrics.…` of the task says.
    package = find_spec("lm_eval")
    assert package is not None
    assert package.submodule_search_locations is not None
    path = Path(package.submodule_search_locations[0], "tasks", "longproc", "metrics.py")
    spec = spec_from_file_location("longproc_metrics", path)
    assert spec is not None
    assert spec.loader is not None
    metrics: Any = module_from_spec(spec)
    spec.loader.exec_module(metrics)

    def accepts(text: str, hand: list[int]) -> bool:
        doc = {"metadata_parsed": {"nums": hand, "target": TARGET}, "reference_output": ""}
        return bool(metrics.process_results_countdown(doc, [text])["accuracy"] == 1)

    return accepts


def load_math_verify() -> Accepts:
    module = import_module("math_verify")
    return lambda text, _: bool(module.verify(module.parse(str(TARGET)), module.parse(text)))


def as_move(line: str, numbers: Sequence[int]) -> str:
    """Return a step such as `1 + 2 = 3` as the places of 1 and 2 and the sign; or the line."""
    left = [*map(str, numbers)]
    try:
        first, sign, second, _, _ = line.split()
        place = left.index(first)
        left[place] = ""
        return f"[{place} {left.index(second)} {sign}]"
    except ValueError:
        return line


def load_textarena() -> Accepts:
    make = import_module("textarena").make

    def accepts(text: str, hand: list[int]) -> bool:
        game = make("Countdown-v0", numbers=hand, target=TARGET)
        game.reset(num_players=1, seed=1)
        any(game.step(as_move(line, game.numbers))[0] for line in text.splitlines())
        return bool(game.close()[0] == {0: 1})

    return accepts


def load_crisps24() -> Accepts:
    rewards = import_module("crisps24.training.rewards")
    return lambda text, hand: bool(rewards.judge_row({"numbers": hand, "target": TARGET}, text))


LOADERS: dict[str, Callable[[], Accepts]] = {
    "torchrl": load_torchrl,
    "countdown": partial(load_reasoning_gym, "countdown"),
    "puzzle24": partial(load_reasoning_gym, "puzzle24"),
    "tot": load_tree_of_thoughts,
    "textpolicy": load_textpolicy,
    "longproc": load_longproc,
    "math-verify": load_math_verify,
    "textarena": load_textarena,
    "crisps24": load_crisps24,
}


def limited_verdict(accepts: Accepts, text: str, hand: list[int]) -> str:
    """Return the verdict on one answer, computed in a fork with limits."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send_verdict, args=(sender, accepts, text, hand))
    child.start()
    sender.close()
    try:
        verdict = str(receiver.recv()) if receiver.poll(SECONDS) else "stops"
    except EOFError:
        verdict = "stops"
    child.kill()
    child.join()
    return verdict


def _send_verdict(sender: Connection, accepts: Accepts, text: str, hand: list[int]) -> None:
    import resource

    memory = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(io.StringIO()):
        try:
            verdict = "yes" if accepts(text, hand) else "no"
        except MemoryError:
            verdict = "stops"
        except Exception:
            verdict = "raises"
    # Code in the answers prints `ran`; a scorer that prints the answer itself prints more.
    ran = any(line.strip() == "ran" for line in printed.getvalue().splitlines())
    sender.send(f"{verdict} code" if ran else verdict)


def measure(scorer: Scorer, answers: Sequence[Answer]) -> list[str]:
    """Return the verdicts of a scorer that is installed, computed in a separate process."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.training.public_judges", "--worker"],
        input=json.dumps([scorer.id, [(scorer.text_of(each), each.hand) for each in answers]]),
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=TOP,
    )
    if done.returncode:
        raise RuntimeError(f"{scorer.id} does not start:\n{done.stderr}")
    verdicts: list[str] = json.loads(done.stdout.splitlines()[-1])
    return verdicts


def is_wrong(answer: Answer, verdict: str) -> bool:
    return verdict.split()[0] != ("yes" if answer.right else "no")


def counts(scorer: Scorer, answers: Iterable[Answer], verdicts: Iterable[str]) -> list[int]:
    """Return the counts of a scorer that the guide shows, over the answers that it covers.

    They are: answers, agreements, accepted wrongly, refused wrongly, raised or stopped. The last
    one, answers whose code ran, is over all answers.
    """
    pairs = list(zip(answers, verdicts, strict=True))
    covered = [(each, said.split()[0]) for each, said in pairs if each.kind not in scorer.excludes]
    wrong = [said for each, said in covered if is_wrong(each, said)]
    yes, no = wrong.count("yes"), wrong.count("no")
    ran = sum("code" in said for _, said in pairs)
    return [len(covered), len(covered) - len(wrong), yes, no, len(wrong) - yes - no, ran]


def cell(scorer: Scorer, answer: Answer, verdict: str) -> str:
    """Return a verdict as Markdown: bold if it is wrong, in brackets if it is not covered."""
    if answer.kind in scorer.excludes:
        return f"({verdict})"
    return f"**{verdict}**" if is_wrong(answer, verdict) else verdict


def as_code(text: str) -> str:
    """Return a text as code in a table of Markdown; `⏎` stands for the end of a line."""
    fence = "``" if "`" in text else "`"
    padded = f" {text} " if "`" in text else text
    return fence + padded.replace("\n", " ⏎ ") + fence if text else "(empty)"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(map(str, line))} |" for line in (header, *rows)]
    return "\n".join([lines[0], "|---" * len(header) + "|", *lines[1:], ""])


def generated(answers: list[Answer], scorers: dict[str, Scorer], verdicts: Verdicts) -> str:
    """Return the generated part of the guide, with its first heading."""
    names = list(scorers)
    figures = [[f"`{name}`", *counts(scorers[name], answers, verdicts[name])] for name in names]
    calls = [
        (
            *(f"`{each.id}`", each.name, each.version, f"[{each.source}]({each.link})"),
            *(as_code(each.form.format("…")), as_code(each.call), each.range),
        )
        for each in scorers.values()
    ]
    right = ["yes" if each.right else "no" for each in answers]
    texts = [
        (each.number, " ".join(map(str, each.hand)), as_code(each.text), right[row], each.why)
        for row, each in enumerate(answers)
    ]
    said = [
        (each.number, right[row], *(cell(scorers[n], each, verdicts[n][row]) for n in names))
        for row, each in enumerate(answers)
    ]
    heads = ["answers", "correct", "accepted wrongly", "refused wrongly", "no verdict", "ran code"]
    return (
        f"{GENERATED}\n"
        + table(["scorer", "name", "version", "source", "form", "call", "range"], calls)
        + f"\n## Results\n\n{table(['scorer', *heads], figures)}"
        + f"\n## Answers\n\n{table(['', 'hand', 'answer', 'right', 'reason'], texts)}"
        + f"\n## Verdicts\n\n{table(['', 'right', *names], said)}"
    )


def guide(verdicts: Verdicts) -> str:
    """Return the text of the guide: the part written by hand, then the generated part."""
    written = GUIDE.read_text(encoding="utf-8").partition(GENERATED)[0]
    return written + generated(read_answers(), read_scorers(), verdicts)


def main(words: list[str]) -> int:
    if words == ["--worker"]:
        # Stdin names a scorer and has the answers.
        name, questions = json.load(sys.stdin)
        accepts = LOADERS[name]()
        print(json.dumps([limited_verdict(accepts, text, hand) for text, hand in questions]))
        return 0
    answers, scorers = read_answers(), read_scorers()
    if words and words[0] in scorers:
        scorer = scorers[words[0]]
        if reason := scorer.why_not_installed():
            sys.exit(reason)
        chosen = [each for each in answers if str(each.number) in (words[1:] or [str(each.number)])]
        for answer, verdict in zip(chosen, measure(scorer, chosen), strict=True):
            print(answer.number, verdict, repr(scorer.text_of(answer)))
        return 0
    if words not in (["--check"], ["--write"]):
        sys.exit(f"expected --check, --write, or a scorer ({', '.join(scorers)}) and a number")
    recorded = read_verdicts()
    measured = dict(recorded)
    for name, scorer in scorers.items():
        reason = scorer.why_not_installed()
        print(f"{name}: {reason or 'measured'}")
        if not reason:
            measured[name] = measure(scorer, answers)
    if words == ["--write"]:
        write_verdicts({name: measured[name] for name in scorers})
        GUIDE.write_text(guide(measured), encoding="utf-8")
    return int((measured, guide(measured)) != (recorded, GUIDE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
