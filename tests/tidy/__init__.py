"""The house rules that no linter knows, each one function: a `Tree` in, what is wrong out, one line each.

`python -m tests.tidy` prints what is wrong; `tests/test_tidy.py` also proves that each rule fires.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.tidy import screens, sources, words
from tests.tidy.tree import Tree

Rule = Callable[[Tree], Iterator[str]]

RULES: tuple[Rule, ...] = (
    sources.files_fit_in_a_sitting,
    sources.functions_fit_on_a_screen,
    sources.no_junk_drawers,
    sources.only_the_clock_knows_the_hour,
    sources.money_is_whole,
    sources.only_the_command_line_prints,
    sources.every_module_says_what_it_is_for,
    sources.every_rule_says_what_it_does,
    sources.no_test_looks_away,
    sources.every_import_is_declared,
    words.one_word_per_thing,
    words.nothing_is_left_to_do,
    words.nothing_of_this_machine,
    words.every_page_of_prose_can_be_reached,
    screens.no_dead_templates,
    screens.no_dead_static_files,
    screens.pages_carry_no_inline_code,
    screens.pages_lead_outside_only_to_known_places,
)
