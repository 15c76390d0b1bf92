"""Edital: the tender itself, from the draft to the homologation."""
