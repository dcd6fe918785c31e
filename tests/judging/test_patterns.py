"""Each pattern of the judge matches its first text and not its second one."""

from crisps24.judging.patterns import EXAMPLES
from tests.sampling import in_one_test


@in_one_test("name", *EXAMPLES)
def test_pattern(name: str) -> None:
    example = EXAMPLES[name]
    matches = example.pattern.fullmatch if example.whole else example.pattern.search
    assert matches(example.match)
    assert not matches(example.other)
