from collections import Counter
from pathlib import Path

import crisps24
from tests.mutants.__main__ import ROOT, Mutant, read_mutants
from tests.sampling import in_one_test

PACKAGE = Path(crisps24.__file__).parent
MUTANTS = read_mutants()


@in_one_test("mutant", *MUTANTS)
def test_text_of_mutant_occurs_once(mutant: Mutant) -> None:
    source = (PACKAGE / mutant.file).read_text(encoding="utf-8")
    assert mutant.mutated(source) != source
    assert all((ROOT / path).exists() for path in mutant.tests)


def test_each_package_has_three_mutants_whose_ids_differ() -> None:
    assert len({mutant.id for mutant in MUTANTS}) == len(MUTANTS)
    counts = Counter(Path(mutant.file).parts[0] for mutant in MUTANTS)
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {name for name in packages if counts[name] < 3} == set()
