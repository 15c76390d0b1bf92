"""Awards: ranking, call, acceptance, Termo de Desistência and signature."""
