"""Sessions: a random 256-bit token in a cookie, its SHA-256 here. A new one at sign-in and at the second factor.

A session lasts `settings.session_hours` from its opening, whatever others do to the account: it ends by its owner,
by a new password, or by its hour. The web layer keeps the cookie (HttpOnly, SameSite=Lax, `__Host-` under https).
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.exc import OperationalError

from tender.acts import Actor, PersonId, Refusal, Role
from tender.identity import Cpf
from tender.law import L14133
from tender.ledger import reading, writing
from tender.people import rates
from tender.people.factors import Factors
from tender.people.offices import Offices
from tender.people.sealing import token_hash
from tender.people.tables import new_id, persons, second_factors, sessions
from tender.people.words import FactorSetUp, NotRecognised, PersonView, ProofNeeded, SessionView

PENDING_FOR = timedelta(minutes=10)  # between the password and the code
SEEN_EVERY = timedelta(minutes=10)
PROOF_FOR = timedelta(minutes=10)
PARTIES = frozenset({Role.PUBLIC, Role.APPLICANT, Role.BIDDER})
WRONG_CODE = "Este código não confere ou já foi usado. Espere o aplicativo mostrar o próximo."

# Every request asks for it: put together once.
_WITH_PERSON = (
    select(
        sessions,
        persons.c.cpf,
        persons.c.name,
        persons.c.email,
        persons.c.phone,
        persons.c.password_hash,
        second_factors.c.enabled_at,
    )
    .join(persons, persons.c.id == sessions.c.person)
    .outerjoin(second_factors, second_factors.c.person == sessions.c.person)
    .where(
        sessions.c.token_hash == bindparam("token"),
        sessions.c.stage == "full",
        sessions.c.ended_at.is_(None),
        sessions.c.expires_at > bindparam("now"),
        persons.c.forgotten_at.is_(None),
    )
)


class Sessions(Factors, Offices):
    """Who is asking."""

    # -- opening --------------------------------------------------------------------------------------------------

    def open_session(
        self, person: str, user_agent: str, address: str, *, second_factor: bool = False, how: str = "password"
    ) -> str:
        """Open a session and return its token for the cookie. second_factor: it was shown just now."""
        with writing(self.engine) as tx:
            self.person_row(tx, person)
            return self._open(tx, person, user_agent, address, "full", second_factor, how)

    def start_second_factor(self, person: str, user_agent: str, address: str) -> str:
        """Token of a sign-in that waits for its code, for ten minutes; it opens nothing else."""
        with writing(self.engine) as tx:
            return self._open(tx, person, user_agent, address, "pending", False, "password")

    def awaits_code(self, token: str) -> PersonId | None:
        """The person whose code a token waits for; None when it waits for none."""
        with reading(self.engine) as tx:
            row = self._live_session(tx, token, "pending")
        return PersonId(row.person) if row else None

    def verify_totp(self, token: str, code: str, *, address: str = "") -> str:
        """Turn a waiting sign-in into a session by a code (app or paper) and return its new token.

        NotRecognised when the code does not count, TooManyTries, both with the waiting sign-in left as it is.
        """
        with reading(self.engine) as tx:
            row = self._live_session(tx, token, "pending")
        if row is None:
            raise NotRecognised("Passou o tempo do código. Entre de novo com a senha.")
        how = self._code_counts(row.person, code, address)
        with writing(self.engine) as tx:
            if not self._end(tx, sessions.c.id == row.id, "second_factor"):
                raise NotRecognised("Passou o tempo do código. Entre de novo com a senha.")
            user_agent = self.unseal(row.user_agent, "sessions.user_agent", row.id)
            return self._open(tx, row.person, user_agent, address, "full", True, how)

    # -- asking ---------------------------------------------------------------------------------------------------

    def actor_for(self, token: str) -> Actor | None:
        """Who stands at the desk with this token; None when it opens nothing. Opens no sealed value: it is asked for
        with every request."""
        found = self._standing(token)
        return found[0] if found else None

    def who(self, token: str) -> tuple[Actor, PersonView] | None:
        """Actor and person of a token, for the person's own pages; None when it opens nothing."""
        found = self._standing(token)
        return (found[0], self._view(found[1], found[2])) if found else None

    def _standing(self, token: str) -> tuple[Actor, Any, frozenset[Role]] | None:
        """Somebody with an office has its roles only after the second factor, and never those of a party; everybody
        else may enrol and bid (each command then asks whether it is theirs)."""
        with reading(self.engine) as tx:
            row = self._with_person(tx, token)
            if row is None:
                return None
            held = self.roles_of(tx, row.person)
        self._seen(row)
        shown = _showed_factor(row)
        roles = PARTIES if not held else frozenset({Role.PUBLIC}) | (held if shown else frozenset())
        return Actor(row.person, roles, shown), row, held

    def recently_verified(self, token: str, minutes: int) -> bool:
        """True when the session showed its strongest proof within so many minutes: a code for whoever has a second
        factor or an office, else the password. What signing acts ask for."""
        with reading(self.engine) as tx:
            row = self._with_person(tx, token)
            if row is None:
                return False
            if row.verified_how == "password" and self.roles_of(tx, row.person):
                return False
        return self._is_fresh(row, timedelta(minutes=minutes))

    def elevate(self, token: str, proof: str, *, address: str = "") -> None:
        """Show the proof again inside a session: a code, or the password of somebody without a second factor.

        NotRecognised, TooManyTries. The token stays: the live room's socket hangs on it, and no privilege passes to
        whoever did not have it.
        """
        with reading(self.engine) as tx:
            row = self._with_person(tx, token)
        if row is None:
            raise NotRecognised("Sua sessão terminou. Entre de novo.")
        if row.enabled_at is not None:
            how = self._code_counts(row.person, proof, address)
        else:
            self._password_counts(row, proof, address)
            how = "password"
        values: dict[str, Any] = {"verified_at": self.now(), "verified_how": how}
        if how != "password":
            values["second_factor"] = True
        with writing(self.engine) as tx:
            tx.execute(update(sessions).where(sessions.c.id == row.id).values(**values))
            self.note(tx, f"session.verified.{how}", person=row.person, address=address, detail=row.id)

    # -- the second factor, set up from a session -------------------------------------------------------------------

    def enable_totp(self, token: str) -> FactorSetUp:
        """The secret to put into the app. ProofNeeded when the last proof is older than ten minutes: whoever finds an
        open browser may not shut its owner out."""
        with writing(self.engine) as tx:
            row = self._with_person(tx, token)
            if row is None or not self._is_fresh(row, PROOF_FOR):
                raise ProofNeeded()
            return self.begin_factor(tx, row.person)

    def confirm_totp(self, token: str, code: str, *, address: str = "") -> tuple[tuple[str, ...], str]:
        """Put the second factor in force by its first code: (recovery codes, new token). NotRecognised when the
        code is not of the secret shown, ProofNeeded half an hour after the last proof, TooManyTries.

        The other sessions of the person end: they were opened with less.
        """
        with reading(self.engine) as tx:
            row = self._with_person(tx, token)
        if row is None or not self._is_fresh(row, 3 * PROOF_FOR):
            raise ProofNeeded()
        taken = self._take_code_try(row.person, address)
        with writing(self.engine) as tx:
            codes = self.confirm_factor(tx, row.person, code)
            if not codes:
                raise NotRecognised(WRONG_CODE)
            self.rates.give_back(tx, taken)
            self._end(tx, sessions.c.person == row.person, "second_factor")
            user_agent = self.unseal(row.user_agent, "sessions.user_agent", row.id)
            return codes, self._open(tx, row.person, user_agent, address, "full", True, "totp")

    def disable_totp(self, token: str) -> None:
        """Do without the second factor again. ProofNeeded without a fresh code; Refusal for whoever holds an office."""
        with writing(self.engine) as tx:
            row = self._with_person(tx, token)
            if row is None or not self._is_fresh(row, PROOF_FOR):
                raise ProofNeeded()
            if self.roles_of(tx, row.person):
                raise Refusal(
                    "Quem exerce cargo não dispensa o segundo fator.", L14133(7, 1), code="segundo_fator_obrigatorio"
                )
            self.drop_factor(tx, row.person, by=row.person)

    def reset_factor(self, person: str, by: str, act: str) -> None:
        """Phone and paper are lost: by an act the second factor goes, every session ends, and the next sign-in sets up
        a new one (the command line)."""
        assert act.strip(), "taking a second factor away names its act"
        with writing(self.engine) as tx:
            self.person_row(tx, person)
            self.drop_factor(tx, person, by, act)
            self._end(tx, sessions.c.person == person, "factor_reset")

    # -- ending ---------------------------------------------------------------------------------------------------

    def sessions_of(self, person: str, token: str = "") -> tuple[SessionView, ...]:
        """Open sessions of a person, newest first; the one of `token` is marked."""
        query = select(sessions).where(
            sessions.c.person == person,
            sessions.c.stage == "full",
            sessions.c.ended_at.is_(None),
            sessions.c.expires_at > self.now(),
        )
        with reading(self.engine) as tx:
            rows = tx.execute(query.order_by(sessions.c.opened_at.desc(), sessions.c.id)).all()
        mine = token_hash(token)
        return tuple(
            SessionView(
                id=row.id,
                user_agent=self.unseal(row.user_agent, "sessions.user_agent", row.id),
                address=self.unseal(row.address, "sessions.address", row.id),
                opened_at=row.opened_at,
                seen_at=row.seen_at,
                expires_at=row.expires_at,
                second_factor=bool(row.second_factor),
                is_this=row.token_hash == mine,
            )
            for row in rows
        )

    def end_session(self, token: str) -> None:
        """Sign out."""
        self._end_own(sessions.c.token_hash == token_hash(token), "signed_out")

    def end_session_of(self, person: str, session: str) -> bool:
        """End one of the person's own sessions by its id; False when it is not theirs or not open."""
        return self._end_own((sessions.c.id == session) & (sessions.c.person == person), "ended_by_owner")

    def end_all_sessions(self, person: str, but: str = "") -> int:
        """End every session of a person, save that of the token `but`; returns how many."""
        with writing(self.engine) as tx:
            return self._end(
                tx, (sessions.c.person == person) & (sessions.c.token_hash != token_hash(but)), "ended_by_owner"
            )

    # -- inside ---------------------------------------------------------------------------------------------------

    def _open(
        self, tx: Connection, person: str, user_agent: str, address: str, stage: str, second_factor: bool, how: str
    ) -> str:
        now = self.now()
        token, session = secrets.token_urlsafe(32), new_id("s")
        lasts = PENDING_FOR if stage == "pending" else timedelta(hours=self.settings.session_hours)
        row = {
            "id": session,
            "token_hash": token_hash(token),
            "person": person,
            "stage": stage,
            "second_factor": second_factor,
            "opened_at": now,
            "expires_at": now + lasts,
            "seen_at": now,
            "verified_at": now,
            "verified_how": how,
            "user_agent": self.shut(user_agent[:300], "sessions.user_agent", session),
            "address": self.shut(address, "sessions.address", session),
            "address_index": self.seal.index("address", rates.network_of(address)),
        }
        tx.execute(insert(sessions), row)
        self.note(tx, f"session.opened.{stage}", person=person, address=address, detail=session)
        return token

    def _live_session(self, tx: Connection, token: str, stage: str) -> Any:
        query = select(sessions).where(
            sessions.c.token_hash == token_hash(token),
            sessions.c.stage == stage,
            sessions.c.ended_at.is_(None),
            sessions.c.expires_at > self.now(),
        )
        return tx.execute(query).first()

    def _with_person(self, tx: Connection, token: str) -> Any:
        """Session, person and second factor of a token."""
        return tx.execute(_WITH_PERSON, {"token": token_hash(token), "now": self.now()}).first()

    def _view(self, row: Any, held: frozenset[Role]) -> PersonView:
        contact = self.contact_in(row, row.person)
        return PersonView(
            id=PersonId(row.person),
            name=contact.name,
            cpf=Cpf(self.unseal(row.cpf, "persons.cpf", row.person)),
            contact=contact,
            session=row.id,
            expires_at=row.expires_at,
            second_factor=_showed_factor(row),
            has_factor=row.enabled_at is not None,
            offices=held,
        )

    def _is_fresh(self, row: Any, within: timedelta) -> bool:
        """The session showed its strongest proof within this time: a code where there is a second factor."""
        if row.enabled_at is not None and row.verified_how == "password":
            return False
        return bool(row.verified_at > self.now() - within)

    def _seen(self, row: Any) -> None:
        if self.now() - row.seen_at < SEEN_EVERY:
            return
        try:
            with writing(self.engine) as tx:
                tx.execute(update(sessions).where(sessions.c.id == row.id).values(seen_at=self.now()))
        except OperationalError:
            # The desk had the database for five seconds: when somebody was last seen is worth no error page.
            return

    def _code_counts(self, person: str, code: str, address: str) -> str:
        taken = self._take_code_try(person, address)
        with writing(self.engine) as tx:
            how = self.use_code(tx, person, code)
            if how:
                self.rates.give_back(tx, taken)
            else:
                self.note(tx, "factor.failed", person=person, address=address)
        if not how:
            raise NotRecognised(WRONG_CODE)
        return how

    def _take_code_try(self, person: str, address: str) -> list[str]:
        network = rates.network_of(address)
        tries = [(rates.FACTOR_PAIR, f"{network} {person}")]
        with writing(self.engine) as tx:
            if not self._address_known(tx, person, address):
                tries.append((rates.FACTOR_ACCOUNT, person))
            return self.rates.take(tx, self.now(), tries)

    def _password_counts(self, row: Any, password: str, address: str) -> None:
        pair = (rates.SIGN_IN_PAIR, f"{rates.network_of(address)} {row.person}")
        with writing(self.engine) as tx:
            taken = self.rates.take(tx, self.now(), [pair])
        if not self.hasher.verify(row.password_hash, password):
            with writing(self.engine) as tx:
                self.note(tx, "session.not_verified", person=row.person, address=address)
            raise NotRecognised("A senha não confere.")
        with writing(self.engine) as tx:
            self.rates.give_back(tx, taken)

    def _address_known(self, tx: Connection, person: str, address: str) -> bool:
        query = select(sessions.c.id).where(
            sessions.c.person == person,
            sessions.c.address_index == self.seal.index("address", rates.network_of(address)),
            sessions.c.stage == "full",
        )
        return tx.execute(query.limit(1)).first() is not None

    def _end_own(self, which: Any, why: str) -> bool:
        with writing(self.engine) as tx:
            return self._end(tx, which, why) > 0

    def _end(self, tx: Connection, which: Any, why: str) -> int:
        rows = tx.execute(select(sessions.c.id, sessions.c.person).where(which, sessions.c.ended_at.is_(None))).all()
        for row in rows:
            tx.execute(update(sessions).where(sessions.c.id == row.id).values(ended_at=self.now(), ended_why=why))
            self.note(tx, f"session.ended.{why}", person=row.person, detail=row.id)
        return len(rows)


def _showed_factor(row: Any) -> bool:
    return bool(row.second_factor and row.enabled_at is not None)
