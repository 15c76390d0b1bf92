"""Habilitation: who may bid, proved by documents and judged by the commission."""
