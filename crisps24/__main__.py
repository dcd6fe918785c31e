"""`python -m crisps24` is the command line."""

import sys

from crisps24.cli import main

sys.exit(main())
