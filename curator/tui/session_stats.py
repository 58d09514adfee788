"""What was decided on since the app was opened, how much of it stands, and how long it took."""

from collections.abc import Collection

from textual.content import Content

from curator.tui.formatting import lasted


class ReviewSession:
    """The decisions of one area, by the number of what was decided on. Some may be open again: those are not done."""

    def __init__(self) -> None:
        self.reopened: frozenset[int] = frozenset()
        self._numbers: dict[int, None] = {}
        self._began: int | None = None
        self._last = 0

    @property
    def numbers(self) -> tuple[int, ...]:
        """All that was decided on, the last at the end."""
        return tuple(self._numbers)

    @property
    def begun(self) -> bool:
        """Whether there was any decision, be it refused later."""
        return self._began is not None

    @property
    def done(self) -> int:
        """How many decisions stand."""
        return len(self._numbers.keys() - self.reopened)

    def count(self, numbers: Collection[int], now: int) -> None:
        """These were decided on."""
        self._began, self._last = self._began or now, now
        for number in numbers:
            self._numbers.pop(number, None)
            self._numbers[number] = None
        self.reopened = self.reopened.difference(numbers)

    def drop(self, numbers: Collection[int]) -> None:
        """These were not decided on after all."""
        for number in numbers:
            self._numbers.pop(number, None)

    def told(self, left: str) -> Content:
        """`31 done · 12 left · 2 m 10 s`."""
        spent = lasted(self._last - (self._began or self._last))
        return Content.assemble((f"{self.done:,} reviewed", "$good"), (f" · {left} left · {spent}", "$muted"))
