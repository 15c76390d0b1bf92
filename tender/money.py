"""Money in whole centavos. Never float, never a fraction of a centavo."""

from __future__ import annotations

from dataclasses import dataclass


class MoneyError(ValueError):
    """The typed text is not an amount; the message is Portuguese and shown as it is."""


@dataclass(frozen=True, order=True, slots=True)
class Money:
    """An amount in centavos; may be negative (a difference)."""

    centavos: int

    def __post_init__(self) -> None:
        if type(self.centavos) is not int:
            raise TypeError(f"centavos must be int, not {type(self.centavos).__name__}")

    @classmethod
    def reais(cls, amount: int) -> Money:
        """Whole reais."""
        if type(amount) is not int:
            raise TypeError(f"reais must be int, not {type(amount).__name__}")
        return cls(amount * 100)

    def __add__(self, other: Money) -> Money:
        if not isinstance(other, Money):
            return NotImplemented
        return Money(self.centavos + other.centavos)

    def __sub__(self, other: Money) -> Money:
        if not isinstance(other, Money):
            return NotImplemented
        return Money(self.centavos - other.centavos)

    def __mul__(self, times: int) -> Money:
        if type(times) is not int:
            return NotImplemented
        return Money(self.centavos * times)

    __rmul__ = __mul__
