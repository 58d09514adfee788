"""List of sweeps, and the pane with the detail of a sweep."""

from array import array
from collections.abc import Sequence

from curator.models import NO_MODEL
from curator.sweeps import State, SweepStatus
from curator.tui.sweeps import render
from curator.tui.text_format import fit, one_line
from curator.tui.widgets.text_pane import TextPane
from curator.tui.widgets.virtual_list import Cells, VirtualList

_RATE_FROM = 110  # columns from which rate and model are shown
_BAR = 10  # cells


class SweepRows(VirtualList[SweepStatus]):
    """Rows of sweeps: name, state, progress, failures, and the time left or until the next run."""

    def show(self, statuses: Sequence[SweepStatus]) -> None:
        """Show the sweeps; the cursor stays."""
        rows = dict(enumerate(statuses))
        if len(rows) != len(self.ids):
            self.show_rows(array("q", rows), rows, self.cursor)
        else:
            self.fill(rows)

    def cells(self, row_id: int, row: SweepStatus | None, width: int) -> Cells:
        """Return the cells of a sweep; rate and model only if there is room."""
        if row is None:
            return [(" " * width, "muted")]
        state = render.state(row)
        label = "failed" if state is State.OFFLINE and not row.model else render.STATES[state]
        elsewhere = state is not State.RUNNING and row.other is not None
        front: Cells = [
            (f" {row.name:<9}", "strong"),
            (f"{'elsewhere':<10}", "good") if elsewhere else (f"{label:<10}", render.LOOKS.get(state, "muted")),
            *self._bar(row),
            (f"{render.progress(row):>14}  ", "plain"),
            (f"{f'{row.failed:,} failed' if row.failed else '':<13}", "bad"),
        ]
        end = self._when(row)
        if width >= _RATE_FROM:
            rate = "" if row.rate is None else render.pace(row.rate)
            end = f"{end:<24}{rate:<11}{render.model_of(row)}"
        return [*front, (fit(end, max(width - sum(len(piece) for piece, _ in front), 0)), "muted")]

    def _bar(self, row: SweepStatus) -> Cells:
        """Return a progress bar of the run."""
        if not row.total or row.state not in (State.RUNNING, State.PAUSED, State.OFFLINE):
            return [(" " * _BAR, "muted")]
        full = min(round(_BAR * row.done / row.total), _BAR)
        return [(self.glyphs.running[-1] * full, "accent"), (self.glyphs.rule * (_BAR - full), "muted")]

    def _when(self, row: SweepStatus) -> str:
        """Return the time left or until the next run, and the number of pending items; or why the sweep is off."""
        if row.state is State.RUNNING:
            return "" if row.left is None else f"{render.span(row.left)} left"
        if row.state is State.OFF:
            return "no chat model set" if row.problem == NO_MODEL else one_line(row.problem).partition(" (")[0]
        pending = f"{row.pending:,} to do" if row.pending else ""
        if row.next_at is None or row.state not in (State.WAITING, State.OFFLINE):
            return pending
        when = render.until(row.next_at, self.now)
        if row.state is State.OFFLINE:
            return f"next try {when}"  # the progress column shows the number of items
        return f"{when}: {pending}" if pending else f"next {when}"


class SweepDetail(TextPane, can_focus=False):
    """The detail of a sweep."""
