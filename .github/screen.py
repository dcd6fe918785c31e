"""Draw what a call prints, as an SVG: `python .github/screen.py > .github/solve.svg`."""

import subprocess
import sys
from html import escape

_CALL = "crisps24 solve 3 3 8 8 --game cards --steps"
_LINE, _CHARACTER = 18, 8.1


def draw(call: str) -> str:
    """Return the SVG of a call and its output."""
    command = [sys.executable, "-m", *call.split()]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [f"$ {call}", *output.rstrip().split("\n")]
    width, height = max(map(len, lines)) * _CHARACTER + 32, len(lines) * _LINE + 28
    texts = "\n".join(
        f'<text x="16" y="{index * _LINE + 26}" xml:space="preserve">{escape(line)}</text>'
        for index, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" role="img" aria-label="{escape(call)}">\n'
        '<rect width="100%" height="100%" rx="8" fill="#12262b"/>\n'
        '<g fill="#e8f1ee" font-size="13.5" font-family="ui-monospace, Menlo, Consolas, '
        f"'DejaVu Sans Mono', monospace\">\n{texts}\n</g>\n</svg>\n"
    )


if __name__ == "__main__":
    sys.stdout.write(draw(_CALL))
