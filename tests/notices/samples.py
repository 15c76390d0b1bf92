"""Values with which every kind of notice can be written."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from tender.law import MUN
from tender.money import Money

WHEN = datetime(2027, 3, 5, 20, 0, tzinfo=UTC)  # 17h in Brasília
RIVAL = "Abelardo Ventania"
LINK = "/minhas/001-2027/documentos"

SAMPLES: dict[str, dict[str, Any]] = {
    "confirm_email": {},
    "edital_published": {"stands": 3, "closes_at": WHEN, "floor": Money.reais(10_000)},
    "edital_amended": {"edital": "001-2027", "summary": "O ponto 3 mudou de lugar.", "closes_at": WHEN},
    "question_answered": {"question": "Pode ser CNH vencida?", "answer": "Não. A CNH precisa estar válida."},
    "three_days_left": {"missing": ("CNH", "Certidão criminal"), "closes_at": WHEN},
    "last_day": {"missing": ("CNH",), "closes_at": WHEN},
    "application_submitted": {
        "receipt": "7KQ2-M4XD",
        "submitted_at": WHEN.replace(microsecond=42_000),
        "documents": 8,
        "closes_at": WHEN,
    },
    "diligence_asked": {"document": "CNH", "reason": "A foto está cortada.", "answer_until": WHEN},
    "habilitated": {"stands": ("Ponto 1 — Praça Central", "Ponto 3 — Rodoviária"), "session_at": WHEN},
    "inhabilitated": {
        "reason": "A certidão não foi apresentada.",
        "citation": MUN(4, 1, "III"),
        "appeal_until": WHEN,
    },
    "session_tomorrow": {"stands": ("Ponto 3 — Rodoviária",), "session_at": WHEN, "withdraw_seconds": 15},
    "session_soon": {"session_at": WHEN},
    "session_postponed": {
        "edital": "001-2027",
        "how": "adiada",
        "reason": "Faltou energia na cidade.",
        "session_at": WHEN,
        "bids_stand": True,
    },
    "technical_pause": {"paused_at": WHEN},
    "session_resuming": {"resumes_at": WHEN},
    "bid_annulled": {
        "stand": 3,
        "amount": Money.reais(84_500),
        "reason": "Erro de digitação.",
        "best": Money.reais(9_450),
    },
    "stand_closed": {"stand": 3, "place": 2, "amount": Money.reais(9_450)},
    "called": {"stand": 3, "answer_until": WHEN, "amount": Money.reais(9_450)},
    "call_ending": {"stand": 3, "answer_until": WHEN},
    "desistencia_signed": {"stand": 3, "signed_at": WHEN, "own": True},
    "appeal_filed": {"stand": 3, "answer_until": WHEN},
    "appeal_decided": {"stand": 3, "outcome": "negado", "reason": "O prazo passou.", "effect": "Nada muda."},
    "award_confirmed": {"stand": 3, "valid_until": date(2031, 3, 5)},
    "edital_revoked": {
        "edital": "001-2027",
        "how": "anulada",
        "reason": "Faltou a publicação.",
        "effect": "Ela não vale mais.",
        "appeal_until": WHEN,
    },
    "tasks_due": {"tasks": ("Analisar inscrição 6", "Responder pergunta 2")},
    "new_sign_in": {"signed_in_at": WHEN, "device": "Firefox no Android"},
    "annual_proof_due": {"due": date(2027, 3, 31), "documents": ("CRLV", "Certidão criminal")},
    "hearing_opened": {
        "edital": "001-2027",
        "ending": "revogada",
        "reason": "O ponto deixou de existir.",
        "until": WHEN,
    },
    "password_reset": {},
    "already_registered": {},
}
