"""Notices: the person's own page first, then e-mail, from one text each.

`kinds` is the table of all notices; `texts` turns one into words from `templates/notices/`; `outbox` keeps, shows and
delivers them; `post` speaks with the mail server.
"""

from tender.notices.kinds import KINDS, NoticeKind
from tender.notices.outbox import DELAYS, LEASE, Notices
from tender.notices.tables import Delivery, Mail, MailState, Notice
from tender.notices.texts import Text, Texts

__all__ = [
    "DELAYS",
    "KINDS",
    "LEASE",
    "Delivery",
    "Mail",
    "MailState",
    "Notice",
    "NoticeKind",
    "Notices",
    "Text",
    "Texts",
]
