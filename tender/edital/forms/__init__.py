"""Forms of the edital: what is typed to sign in and to manage the own account."""
