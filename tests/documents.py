"""Paths of the documents with examples, and a function that reads them."""

import re
from pathlib import Path

TOP = Path(__file__).parent.parent
GUIDES = TOP / "crisps24" / "docs"
README = TOP / "README.md"
RESULTS = TOP / "results" / "README.md"
CONTRIBUTING = TOP / ".github" / "CONTRIBUTING.md"
EXAMPLES = [README, RESULTS, *sorted(GUIDES.glob("*.md"))]


def blocks(document: Path, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", document.read_text(), re.M | re.S)
