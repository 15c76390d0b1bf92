"""Permits: the life of a permit after the tender, from the term to its end."""
