"""Bidding: the auction of each stand, live."""
