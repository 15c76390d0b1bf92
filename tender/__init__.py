"""Public tenders that nobody has to take on trust: the map of the package, in reading order.

1.  `law`, `acts`            what the law says, and the shapes of everything that can be asked, recorded or refused
2.  `process`                the procedure on one page: who decides what, and what follows from what
3.  the five chapters, in the order in which a tender runs; each has the same rooms (`model` words, `rules` decisions,
    `reads` what is shown, `forms` what is typed, `pages` HTTP, `papers` PDF, `live` where there is a room,
    `evidence` where documents are read):
      `edital`               the tender itself: terms, stands, schedule, publication, homologation
      `habilitation`         who may bid: requirements, documents, votes, appeals
      `bidding`              the auction of each stand, live
      `awards`               ranking, call, acceptance, Termo de Desistência, signature
      `permits`              the permit's life: annual proof, auxiliaries, infractions, penalties, revocation
4.  `desk`, `door`           the one place where the book changes, first come, first served
5.  `ledger`, `codec`        the book: append, load, verify; and how a fact is written in it
6.  `machine`                statuses and transitions as data
7.  `money`, `clock`, `identity`   centavos; hours and business days; CPF, CNPJ, CNH, plates
8.  `people`, `files`, `deadlines` who is who; bytes as they arrived; everything that falls due
9.  `web`, `letterhead`, `notices` what the chapters need to answer by page, by paper and by mail
10. `settings`, `app`, `cli` how it is configured, put together and started
11. `simulation`, `verifier` a whole tender from a scenario file; and the book checked by someone who trusts nobody

Who may import whom is written in `pyproject.toml` (import contracts) and checked by `tests/test_architecture.py`.
"""
