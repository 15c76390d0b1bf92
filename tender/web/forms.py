"""The form that all forms of the chapters extend: our CSRF check, messages in Portuguese."""

from __future__ import annotations

from flask_wtf import FlaskForm


class PageForm(FlaskForm):
    """A form of a page. Give each field its own message where the rule has an article or an example that would pass."""

    class Meta(FlaskForm.Meta):
        locales = ("pt",)
