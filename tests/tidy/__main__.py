"""`python -m tests.tidy`: what is untidy in the repository, one line each; exit code 1 if anything is."""

import sys
from pathlib import Path

from tests.tidy import RULES
from tests.tidy.tree import Tree

tree = Tree(Path(__file__).parent.parent.parent)
found = [(rule, line) for rule in RULES for line in rule(tree)]
for rule, line in found:
    print(f"{line}   [{rule.__name__}]")
print(f"tidy: {len(found)} found" if found else f"tidy: {len(RULES)} rules, {len(tree.paths)} files, nothing found")
sys.exit(1 if found else 0)
