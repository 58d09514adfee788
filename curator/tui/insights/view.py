"""The Insights view: seven questions, each answered by a chart whose marks lead to their memories."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus, Resize
from textual.widgets import Static

from curator.display import as_of
from curator.errors import ModelError
from curator.tui.actions import INSIGHTS, bindings
from curator.tui.context import AppContext
from curator.tui.insights import charts
from curator.tui.keymap import first_key, key_tip
from curator.tui.messages import Target, Tone
from curator.tui.screens.dialogs import Ask
from curator.tui.text_format import fit, one_line
from curator.tui.view import View
from curator.tui.widgets.chart_model import Chart
from curator.tui.widgets.chart_view import ChartView
from store.analytics.memory_view import Stopped

if TYPE_CHECKING:
    from store.analytics.file_stats import FileStats

_QUESTIONS = (
    charts.GROWTH,
    charts.KINDS,
    charts.USE,
    charts.STATES,
    charts.SURE,
    charts.ORIGIN,
    charts.CALENDAR,
)
_LONG = (0, 3, 6)  # charts over time, which get more room
_MIN_TEXT = 24  # cells of a memory's text that are always shown
_LOW = 30  # lines; with fewer the charts scroll
_TARGET = "The other machine's snapshot.target, such as folder:/PATH or s3://BUCKET/PREFIX"

_ON_MARKS = frozenset("move move_across first last page open".split())


class Sheet(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Container of the charts; arrows move the cursor even if it can scroll."""


class Insights(View):
    """The charts, one of them focused, and a line about the mark under its cursor."""

    BINDINGS = bindings(INSIGHTS)
    NAME: ClassVar[str] = "insights"

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._pictures = [ChartView(Chart(question, "counting …"), context.glyphs) for question in _QUESTIONS]
        for index in _LONG:
            self._pictures[index].add_class("-long")
        self._pictures[-1].add_class("-days")
        self._sheet = Sheet(*self._pictures, id="pictures")
        self._words = Static(id="mark", markup=False)
        self._elsewhere = ""  # target of the snapshot that is shown instead of this store
        self._here = self._pictures[0]

    def compose(self) -> ComposeResult:
        """Lay out the name of the snapshot, the charts, the line below them, and the text of an empty store."""
        return (Static(id="elsewhere", markup=False), self._sheet, self._words, Static(id="nothing"))

    def open(self, target: Target | None) -> None:
        """Show the view, with the cursor where it was."""
        self._take_keys()
        if self._elsewhere:
            self.begin(self._follow_elsewhere, "counting")  # there may be a newer snapshot
        self.follow()  # recalls are not journaled, so no change is reported

    def _take_keys(self) -> None:
        """Focus a chart, once it is visible."""
        if self.display and self.screen.focused is not self._here:
            self._here.focus(scroll_visible=False)

    # Counting

    @property
    def busy(self) -> bool:
        """True while counting."""
        return self.working("counting")

    def filled(self) -> None:
        """Count once analytics are filled."""
        self.follow()

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Count again; every cursor stays on its mark."""
        if self.context.analytics.filled and not self._elsewhere:
            self.begin(self._count, "counting")

    async def _count(self) -> None:
        executor = self.context.executors["facets"]
        try:
            self.seen, views = await executor.run(self._read)
            self._show_charts(views, whole=False)
            self._show_charts(await executor.run(self._read_states), whole=True)  # last, as it takes the longest
        except Stopped:
            return  # the app is closing
        except Exception:  # reported by the app
            if self.seen < 0:
                self._tell("Counting failed; see the status bar.")
            raise

    def _read(self) -> tuple[int, tuple[Chart, ...]]:
        """Count, and read the memories of the charts; return the event number of the counts, and the charts."""
        from store.analytics.insights import insights

        analytics, store, now = self.context.analytics, self.context.store, self.context.now()
        seq, counts = analytics.follow(), insights(analytics, store, now)
        texts = {memory.id: memory.text for memory in store.get_many(counts.named)}
        return seq, charts.views(counts, texts, now)

    def _read_states(self) -> tuple[Chart]:
        """Read the states of memories over time."""
        from store.analytics.state_history import spans

        return (charts.states(spans(self.context.analytics.ask_past, self.context.now())),)

    def _show_charts(self, views: Iterable[Chart], whole: bool) -> None:
        """Show charts; if `whole` and all are empty, show the text of an empty store."""
        for chart in views:
            self._pictures[_QUESTIONS.index(chart.question)].show(chart)
        if any(map(_counts, self._pictures)):
            self._tell("")
        elif self._elsewhere:
            self._tell("No memories to chart in this snapshot.")
        elif whole:
            ways = (("import", "import a chat log"), ("add", "add a memory"))
            self._tell("No memories to chart yet. " + " · ".join(key_tip(self.app, *way) for way in ways))

    def _tell(self, words: str) -> None:
        """Show a text instead of the charts; show the charts if it is empty."""
        self.set_class(bool(words), "-empty")
        self.query_one("#nothing", Static).update(Content.styled(words, "$muted"))
        self.call_after_refresh(self._take_keys)
        self.screen.refresh_bindings()

    # Another machine

    def action_other_machine(self) -> None:
        """Ask for the snapshot of another machine to chart; an empty answer charts this store again."""
        self.begin_dialog(self._ask_elsewhere)

    async def _ask_elsewhere(self) -> None:
        from curator.config import settings

        snapshots: list[tuple[FileStats, int]] = []

        async def check(text: str) -> str | None:
            try:
                if text:
                    snapshots.append(await self._read_elsewhere(text))
            except (ModelError, ValueError) as error:
                return str(error)
            return None

        hint = f"{_TARGET}. Empty: this machine." if self._elsewhere else f"{_TARGET}."
        default = self._elsewhere or settings().snapshot.target
        question = Ask(
            "Snapshot of another machine", hint, default, check, reading="reading the snapshot … · esc cancels"
        )
        text = await self.app.push_screen_wait(question)
        if text:
            self._elsewhere = text
            self.begin(partial(self._show_elsewhere, snapshots[-1]), "counting")
        elif text is not None:
            self._elsewhere = ""
            self.remove_class("-elsewhere")
            self.follow()

    async def _read_elsewhere(self, target: str) -> "tuple[FileStats, int]":
        """Count a snapshot of another machine. Raises ModelError, ValueError."""
        from curator.snapshot.reader import stats

        return await self.context.run("slow", stats, target, self.context.now())

    async def _follow_elsewhere(self) -> None:
        """Show the charts of a newer snapshot; if it cannot be read, keep those of the last one."""
        try:
            read = await self._read_elsewhere(self._elsewhere)
        except (ModelError, ValueError) as error:
            self.say(str(error), Tone.BAD)
        else:
            await self._show_elsewhere(read)

    async def _show_elsewhere(self, read: "tuple[FileStats, int]") -> None:
        stats, written = read
        target = (self._elsewhere, "bold $accent")
        self.query_one("#elsewhere", Static).update(Content.assemble(target, (f" · {as_of(written)}", "$muted")))
        self.add_class("-elsewhere")
        counts, now = stats.counts, self.context.now()
        self._show_charts((*charts.views(counts.insights, stats.texts, now), charts.states(counts.states)), whole=True)
        self._describe()

    # The cursor

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Follow the focus to another chart, unless it moved because the others were hidden."""
        if isinstance(event.widget, ChartView) and not self.has_class("-empty"):
            self._here = event.widget
            self._describe()

    @on(ChartView.Moved)
    def moved(self, event: ChartView.Moved) -> None:
        """Describe the mark under the cursor."""
        if event.picture is self._here:
            self._describe()
            self.screen.refresh_bindings()

    def on_resize(self, event: Resize) -> None:
        """Fit the description of the mark; small screens scroll the charts, others show all of them."""
        self.set_class(event.size.height < _LOW, "-low")
        self._describe()
        self.call_after_refresh(self._here.scroll_visible, animate=False)

    def _describe(self) -> None:
        """Show the description of the mark (least important words dropped if they do not fit), and what enter does."""
        mark = self._here.current
        if mark is None:
            self._words.update(layout=False)
            return
        first, *words = [one_line(word) for word in mark.words if word]
        keys = "" if self._elsewhere else first_key(self.app, "show")
        does = f"{keys} {mark.goal.does}" if mark.goal is not None and keys else ""

        def room() -> int:
            return self.size.width - 2 - sum(cell_len(word) + 3 for word in (*words, does) if word)

        while words and room() < min(cell_len(first), _MIN_TEXT):
            words.pop()
        parts: list[tuple[str, str]] = [(fit(first, max(room(), 1)).rstrip(), "bold $text")]
        for word, look in (*((word, "$text") for word in words), (does, "$muted"), (mark.more, "$muted")):
            parts += [(" · ", "$muted"), (word, look)] if word else []
        self._words.update(Content.assemble(*parts), layout=False)

    # Actions

    def enables(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Enable actions on marks, and enter only on a mark with a goal."""
        if action in ("next_pane", "previous_pane"):
            return self.seen >= 0 and any(map(_counts, self._pictures))
        if action in _ON_MARKS and not (self.seen >= 0 and self._here.chart.marks):
            return False
        if action == "open":
            return not self._elsewhere and (mark := self._here.current) is not None and mark.goal is not None
        return True

    def action_move(self, lines: int) -> None:
        """Move the cursor to the mark below or above."""
        self._here.move(0, lines)

    def action_move_across(self, columns: int) -> None:
        """Move the cursor to the mark at the right or the left."""
        self._here.move(columns, 0)

    def action_first(self) -> None:
        """Move to the chart's first mark."""
        self._here.move_to_end(False)

    def action_last(self) -> None:
        """Move to the chart's last mark."""
        self._here.move_to_end(True)

    def action_page(self, pages: float) -> None:
        """Scroll the charts by screens."""
        self._sheet.scroll_relative(y=round(self._sheet.size.height * pages), animate=False)

    async def action_previous_pane(self) -> None:
        """Focus the previous chart."""
        self.action_next_pane(-1)

    def action_next_pane(self, by: int = 1) -> None:
        """Focus the next chart with counts."""
        index = self._pictures.index(self._here)
        after = (self._pictures[(index + by * n) % len(self._pictures)] for n in range(1, len(self._pictures) + 1))
        self._here = next(filter(_counts, after), self._here)
        self._here.focus(scroll_visible=False)
        self._here.scroll_visible(animate=False)

    @on(ChartView.Chosen)
    def action_open(self) -> None:
        """Open the goal of the mark."""
        mark = self._here.current
        if mark is not None and mark.goal is not None and not self._elsewhere:
            self.go(mark.goal.view, mark.goal.target)


def _counts(picture: ChartView) -> bool:
    """Return True if a chart has any counts."""
    return any(mark.count for mark in picture.chart.marks)
