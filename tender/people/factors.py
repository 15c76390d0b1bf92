"""The second factor: a code of an authenticator app (RFC 6238), and ten codes on paper for when the phone is lost."""

from __future__ import annotations

import hmac
import secrets
from typing import Any

import pyotp
from sqlalchemy import Connection, delete, insert, select, update

from tender.clock import as_utc
from tender.people.pseudonyms import ALPHABET
from tender.people.registration import Registrations
from tender.people.tables import recovery_codes, second_factors
from tender.people.words import FactorSetUp

STEP_SECONDS = 30
WINDOW = 1  # a step before and after: phones' clocks are seldom right
RECOVERY_CODES = 10
ISSUER = "Licitações"


class Factors(Registrations):
    """Secrets, codes, and that no code counts twice."""

    def has_factor(self, tx: Connection, person: str) -> bool:
        """True when a second factor is in force."""
        query = select(second_factors.c.enabled_at).where(second_factors.c.person == person)
        return tx.execute(query).scalar() is not None

    def begin_factor(self, tx: Connection, person: str) -> FactorSetUp:
        """A new secret, shown and not yet in force; the one shown last stays until it is confirmed or replaced."""
        row = tx.execute(select(second_factors).where(second_factors.c.person == person)).first()
        if row is None:
            secret = pyotp.random_base32()
            sealed = self.shut(secret, "second_factors.new_secret", person)
            tx.execute(insert(second_factors), {"person": person, "new_secret": sealed, "last_step": 0})
        elif row.new_secret:
            secret = self.unseal(row.new_secret, "second_factors.new_secret", person)
        else:
            secret = pyotp.random_base32()
            sealed = self.shut(secret, "second_factors.new_secret", person)
            tx.execute(update(second_factors).where(second_factors.c.person == person).values(new_secret=sealed))
        email = self.contact_of(tx, person).email
        issuer = f"{ISSUER} {self.settings.municipality.name}"
        return FactorSetUp(secret, pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=issuer))

    def confirm_factor(self, tx: Connection, person: str, code: str) -> tuple[str, ...]:
        """Put the secret shown last in force if the code is of it, and return ten fresh recovery codes; () if not."""
        row = tx.execute(select(second_factors).where(second_factors.c.person == person)).first()
        if row is None or not row.new_secret:
            return ()
        secret = self.unseal(row.new_secret, "second_factors.new_secret", person)
        step = self._step_of(secret, code)
        if step is None:
            return ()
        values = {
            "secret": self.shut(secret, "second_factors.secret", person),
            "new_secret": None,
            "enabled_at": self.now(),
            "last_step": step,
        }
        tx.execute(update(second_factors).where(second_factors.c.person == person).values(**values))
        self.note(tx, "factor.enabled", person=person)
        return self.fresh_recovery_codes(tx, person)

    def fresh_recovery_codes(self, tx: Connection, person: str) -> tuple[str, ...]:
        """Ten codes for one use each, shown once; earlier ones stop working."""
        codes = ["".join(secrets.choice(ALPHABET) for _ in range(10)) for _ in range(RECOVERY_CODES)]
        tx.execute(delete(recovery_codes).where(recovery_codes.c.person == person))
        rows = [{"person": person, "code_index": self._recovery_index(person, code)} for code in codes]
        tx.execute(insert(recovery_codes), rows)
        self.note(tx, "factor.recovery_codes", person=person)
        return tuple(f"{code[:5]}-{code[5:]}" for code in codes)

    def recovery_codes_left(self, tx: Connection, person: str) -> int:
        """How many recovery codes were not used."""
        query = select(recovery_codes.c.code_index).where(
            recovery_codes.c.person == person, recovery_codes.c.used_at.is_(None)
        )
        return len(tx.execute(query).all())

    def drop_factor(self, tx: Connection, person: str, by: str, act: str = "") -> None:
        """Take the second factor away: its owner, or the command line by an `act` when phone and paper are lost."""
        tx.execute(delete(recovery_codes).where(recovery_codes.c.person == person))
        tx.execute(delete(second_factors).where(second_factors.c.person == person))
        self.note(tx, "factor.dropped", person=person, by=by, detail=act)

    def use_code(self, tx: Connection, person: str, code: str) -> str:
        """Use up a code of the app ("totp") or of the paper ("recovery"); "" when it is neither, or was used."""
        row = tx.execute(select(second_factors).where(second_factors.c.person == person)).first()
        if row is None or not row.secret:
            return ""
        step = self._step_of(self.unseal(row.secret, "second_factors.secret", person), code)
        if step is not None:
            # One UPDATE decides between two processes that were sent the same code.
            won = tx.execute(
                update(second_factors)
                .where(second_factors.c.person == person, second_factors.c.last_step < step)
                .values(last_step=step)
            )
            return "totp" if won.rowcount else ""
        spent = tx.execute(
            update(recovery_codes)
            .where(
                recovery_codes.c.person == person,
                recovery_codes.c.code_index == self._recovery_index(person, code),
                recovery_codes.c.used_at.is_(None),
            )
            .values(used_at=self.now())
        )
        if spent.rowcount:
            self.note(tx, "factor.recovery_used", person=person)
        return "recovery" if spent.rowcount else ""

    def _step_of(self, secret: str, code: str) -> int | None:
        """The time step of which this is the code, within the window; every step is compared, in constant time."""
        typed = "".join(sign for sign in code if sign.isascii() and sign.isdigit())
        if len(typed) != 6 or any(sign.isalpha() for sign in code):
            return None
        totp = pyotp.TOTP(secret, interval=STEP_SECONDS)
        now = int(as_utc(self.now()).timestamp()) // STEP_SECONDS
        found: Any = None
        for step in range(now - WINDOW, now + WINDOW + 1):
            if hmac.compare_digest(totp.generate_otp(step), typed):
                found = step
        return found

    def _recovery_index(self, person: str, code: str) -> str:
        plain = "".join(sign for sign in code.upper() if sign in ALPHABET)
        return self.seal.index("recovery", f"{person}\0{plain}")
