"""The auditor of the simulated auctions: says what each act must be answered and what must be true after it.

It shares no code with the program: instants are whole microseconds, amounts whole centavos, people single letters. It
was written from the articles, not from the rules, and stays short enough to be read whole before it is believed.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace as Record
from typing import Any


def first(*cases: tuple[Any, str]) -> str:
    """The code of the first case that is so; `ok` when none is."""
    return next((code for is_so, code in cases if is_so), "ok")


class Auction:
    """The stands and awards of one edital. `terms`: floor, step, lengths and hours as numbers."""

    def __init__(self, terms: Any, stands: Iterable[int]) -> None:
        self.terms, self.session_open = terms, False
        self.stands = {n: Record(status="none", closes=None, left=0, bids=[], admitted="", withdrew="") for n in stands}
        self.awards: dict[int, Any] = {}

    # -- the contest -----------------------------------------------------------------------------------------------

    def standing(self, n: int) -> list[Any]:
        """The last lance of each that was not withdrawn, highest first."""
        last = {one.who: one for one in self.stands[n].bids if not one.withdrawn}
        return sorted(last.values(), key=lambda one: -one.amount)

    def start(self, now: int, by: str, n: int) -> str:
        stand = self.stands[n]
        answer = first((stand.status != "waiting", "ja_comecou"), (not self.session_open, "sessao_fechada"))
        if answer == "ok":
            stand.status, stand.closes = "contested", now + self.terms.open_stage
            if not stand.admitted:
                self.over(n, "deserted")
                stand.closes = None
        return answer

    def late(self, now: int, n: int) -> tuple[tuple[bool, str], ...]:
        stand = self.stands[n]
        over = stand.status != "contested" or now >= stand.closes
        return (stand.status == "suspended", "pausado"), (stand.status == "waiting", "nao_comecou"), (over, "encerrado")

    def bid(self, now: int, who: str, n: int, amount: int) -> str:
        stand, terms, front = self.stands[n], self.terms, self.standing(n)
        best = front[0].amount if front else None
        own = next((one.amount for one in front if one.who == who), None)
        answer = first(
            *self.late(now, n),
            (who not in stand.admitted, "nao_habilitado"),
            (front and front[0].who == who, "ja_lidera"),
            (terms.whole and amount % 100, "centavos"),
            (amount < terms.floor, "abaixo_do_minimo"),
            (any(one.amount == amount for one in stand.bids if not one.withdrawn), "lance_igual"),
            (best is not None and best < amount < best + terms.step, "abaixo_do_intervalo"),
            (own is not None and amount < own + terms.step, "nao_supera_o_seu"),
        )
        if answer == "ok":
            leads = best is None or amount > best
            stand.bids.append(Record(who=who, amount=amount, at=now, leads=leads, withdrawn=False))
            if terms.anchor == "fim_do_periodo":
                stand.closes += terms.window if stand.closes - now <= terms.window else 0
            elif stand.closes - now < terms.window:
                stand.closes = now + terms.window
        return answer

    def withdraw(self, now: int, who: str, n: int) -> str:
        stand, mine = self.stands[n], [one for one in self.standing(n) if one.who == who]
        answer = first(
            *self.late(now, n),
            (not mine, "sem_lance"),
            (who in stand.withdrew, "ja_desfez"),
            (mine and now > mine[0].at + self.terms.withdrawal, "fora_do_prazo"),
        )
        if answer == "ok":
            mine[0].withdrawn = True
            stand.withdrew += who
        return answer

    def close(self, now: int, by: str, n: int) -> str:
        stand, queue = self.stands[n], self.standing(n)
        runs = stand.status == "contested"
        answer = first((not runs, "fora_da_disputa"), (runs and now < stand.closes, "ainda_corre"))
        if answer == "ok":
            self.over(n, "closed" if queue else "deserted")
            if queue:
                self.awards[n] = Record(queue=queue, outcomes=["em_espera"] * len(queue), place=0, until=None)
                self.call(now, n)
        return answer

    def over(self, n: int, status: str) -> None:
        self.stands[n].status = status
        self.session_open = any(one.status not in ("closed", "deserted") for one in self.stands.values())

    def suspend(self, now: int, by: str, n: int, since: int) -> str:
        stand, stopped = self.stands[n], since if by == "sistema" else now
        runs = stand.status == "contested"
        answer = first((not runs, "fora_da_disputa"), (runs and stand.closes <= stopped, "encerrado"))
        if answer == "ok":
            stand.status, stand.left, stand.closes = "suspended", stand.closes - stopped, None
        return "ok" if by == "sistema" else answer

    def resume(self, now: int, by: str, n: int) -> str:
        stand = self.stands[n]
        if stand.status != "suspended":
            return "nao_pausada"
        stand.status, stand.closes, stand.left = "contested", now + max(stand.left, self.terms.window), 0
        return "ok"

    # -- the award: somebody is called as long as `until` is set ----------------------------------------------------

    def call(self, now: int, n: int) -> None:
        award = self.awards[n]
        award.until = now + self.terms.call if award.place < len(award.queue) else None
        if award.until is not None:
            award.place += 1
            award.outcomes[award.place - 1] = "convocado"

    def reply(self, now: int, who: str, n: int, outcome: str) -> str:
        award = self.awards.get(n)
        called = award is not None and award.until is not None
        answer = first(
            (not called, "sem_convocado"),
            (called and award.queue[award.place - 1].who != who, "nao_convocado"),
            (called and now >= award.until, "fora_do_prazo"),
        )
        if answer == "ok":
            award.outcomes[award.place - 1], award.until = outcome, None
            if outcome == "desistiu":
                self.call(now, n)
        return answer

    def accept(self, now: int, who: str, n: int) -> str:
        return self.reply(now, who, n, "aceitou")

    def desist(self, now: int, who: str, n: int) -> str:
        return self.reply(now, who, n, "desistiu")

    def lapse(self, now: int, by: str, n: int, place: int) -> str:
        award = self.awards.get(n)
        called = award is not None and award.until is not None and award.place == place
        answer = first((not called, "ja_respondida"), (called and now < award.until, "ainda_no_prazo"))
        if answer == "ok":
            award.outcomes[place - 1] = "perdeu_o_prazo"
            self.call(now, n)
        return answer
