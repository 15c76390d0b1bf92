"""Papers: the kit with which every chapter's `papers.py` prints an ata, a termo or a receipt.

A `Paper` is filled with plain values (text already resolved, `Money`, `Citation`, datetimes) and never asks anything of
anybody; `build()` gives the bytes of a tagged PDF/A-2b, the same bytes for the same facts on every run.

Reading order: `paper` what a paper says, `words` how a value is written, `typeset` how text becomes lines, `blocks` and
`table` how they stand on the page, `figure` what is drawn, `sheet` the pages, `tags` what a screen reader is told,
`archive` what an archive asks for. Only `paper`, `words` and `tags` are loaded before the first `build()`: the PDF
libraries are slow to import and most commands print nothing.
"""

from tender.letterhead.paper import Cell, Clause, Paper, Value
from tender.letterhead.parts import Align, Bid, Prose, Signature, Strong
from tender.letterhead.words import amount, day, hour, moment, plain, verification_code

__all__ = [
    "Align",
    "Bid",
    "Cell",
    "Clause",
    "Paper",
    "Prose",
    "Signature",
    "Strong",
    "Value",
    "amount",
    "day",
    "hour",
    "moment",
    "plain",
    "verification_code",
]
