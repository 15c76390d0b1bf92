"""The seed in static/calendar/arapora.json: recomputed from the `holidays` package, and honest about what it lacks."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import holidays

from tender.calendars import Calendar, ClosureKind

SEED = Path(__file__).parents[1] / "static" / "calendar" / "arapora.json"
ARAPORA = Calendar.from_plain(json.loads(SEED.read_text(encoding="utf-8")))


def test_the_seed_has_every_national_and_optional_day_of_minas_gerais_and_no_other() -> None:
    for year in range(2026, 2033):
        every = holidays.country_holidays("BR", subdiv="MG", years=year, categories=("public", "optional"))
        national = holidays.country_holidays("BR", years=year, language="pt_BR")
        seeded = {closure.day: closure for closure in ARAPORA.closures if closure.day.year == year}
        assert set(seeded) == set(every)
        by_law = {day: c.name for day, c in seeded.items() if c.kind is not ClosureKind.OPTIONAL}
        assert by_law == dict(national)


def test_the_seed_says_where_each_day_comes_from_and_what_is_not_confirmed() -> None:
    assert not ARAPORA.confirmed
    for closure in ARAPORA.closures:
        if closure.kind is ClosureKind.NATIONAL:
            assert closure.source.startswith("Lei nº ")
            assert closure.confirmed
        else:
            assert closure.source.endswith("nº ___, a confirmar")
            assert not closure.confirmed
    assert {c.source for c in ARAPORA.closures if c.day.month == 11 and c.day.day == 20} == {
        "Lei nº 14.759/2023, art. 1º"
    }


def test_what_nobody_confirmed_yet_is_listed_for_the_days_of_an_edital() -> None:
    names = [closure.name for closure in ARAPORA.unconfirmed(date(2027, 2, 9), date(2027, 3, 26))]
    assert names == ["Carnaval", "Quarta-feira de Cinzas", "Sexta-feira Santa"]
    assert ARAPORA.unconfirmed(date(2027, 4, 1), date(2027, 4, 30)) == ()
