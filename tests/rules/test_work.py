"""Refusals of searches that are too large."""

from math import inf

from crisps24.rules.work import Budget, TableMemory, too_many_pairs
from tests.sampling import in_one_test


@in_one_test(
    ("pairs", "shown"),
    (1234, "1,234"),
    (10**15 - 1, "999,999,999,999,999"),
    (3e15, "10^15"),
    (inf, "10^300"),
)
def test_refusal_has_the_pairs_and_the_limit(pairs: float, shown: str) -> None:
    reason = str(too_many_pairs("this search", pairs, 1000, "less"))
    assert f"this search needs about {shown} pairs of values (limit 1,000): less " in reason


def test_bytes_of_a_table_count_until_it_is_freed() -> None:
    budget = Budget()
    memory = TableMemory(budget)
    memory.add(5)
    assert budget.kept_bytes == 5
    del memory
    assert budget.kept_bytes == 0
