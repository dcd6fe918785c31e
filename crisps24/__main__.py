"""`python -m crisps24` is the command line."""

import sys

from crisps24.cli.program import main

if __name__ == "__main__":
    sys.exit(main())
