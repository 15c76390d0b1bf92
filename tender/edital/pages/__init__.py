"""Pages of the edital: the portal, sign-in, the own account and notices."""
