from pathlib import Path

import crisps24
from tests.mutants.__main__ import ROOT, Mutant, read_mutants
from tests.sampling import in_one_test

PACKAGE = Path(crisps24.__file__).parent
MUTANTS = read_mutants()


@in_one_test("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_text_of_mutant_occurs_once(mutant: Mutant) -> None:
    source = (PACKAGE / mutant.file).read_text(encoding="utf-8")
    assert mutant.mutated(source) != source
    assert all((ROOT / path).exists() for path in mutant.tests)


def test_ids_of_mutants_differ() -> None:
    assert len({mutant.id for mutant in MUTANTS}) == len(MUTANTS) == 95
