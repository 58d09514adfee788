"""The area Recall: type a prompt, and see what a model would be given with it, why, and what was left out."""

import asyncio
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from curator.recall.block import Detail, Style
from curator.recall.preset_names import Preset
from curator.tui.actions import LISTS, RECALL, bindings
from curator.tui.context import AppContext
from curator.tui.labels import listed_under
from curator.tui.list_view import MarkableListView
from curator.tui.recall import dialogs, queries
from curator.tui.recall.block_pane import BlockPane
from curator.tui.recall.commands import Change, Changing
from curator.tui.recall.hit_list import RULE, HitList, signs
from curator.tui.recall.queries import Answer, Line, Question, Recaller
from curator.tui.view import Target, Tone
from curator.tui.widgets.virtual_list import VirtualList
from store.filter import split_terms
from store.model import Life, Memory

_ANYWHERE = frozenset("search preset against budget form among checks pane pane_back".split())


class Recall(MarkableListView):
    """The prompt above, hits and what was left out at the left, the block at the right; nothing here counts as use."""

    NAME: ClassVar[str] = "recall"
    BINDINGS = bindings((*RECALL, *LISTS))

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, "type a prompt: what a model would be given with it")
        self.preset: Preset | None = None  # as the settings say
        self.against: Preset | None = None
        self.budget: int | None = None
        self.among = ""  # which memories, in the filter language
        self.form: queries.Form = (Style.SYSTEM, Detail.COMPACT)
        self.answer: Answer | None = None
        self.list = HitList(context.glyphs)
        self._head, self._note = Static(id="head", markup=False), Static(id="note", markup=False)
        self._block = BlockPane()
        self.recaller = Recaller(context.store)
        self.changing = Changing(self)
        self._noted: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """The prompt, what its answer is ranked by, the list with a note on the line under the cursor, the block."""
        yield self.line
        yield self._head
        with Container(classes="panes"):
            with Vertical(classes="lists"):
                yield self.list
                yield self._note
            yield self._block
        yield Static(id="nothing")

    def on_mount(self) -> None:
        """Nothing is asked at first."""
        self.update_bars()

    def open(self, target: Target | None) -> None:
        """Come to the front with the field for the prompt: what is typed takes the place of the prompt before."""
        self.remove_class("-reading")
        self.line.open()

    def come_back(self) -> None:
        """Come to the front with the list, if there is a prompt."""
        if not self.prompt:
            self.open(None)
        elif not self.line.typing:
            self.take_keys()

    def take_back_own(self) -> tuple[str, tuple[int, ...]] | None:
        """Take back the last mark of use, or what was last said of a check."""
        return self.changing.take_back_own()

    @property
    def prompt(self) -> str:
        """What is asked."""
        return self.line.text.strip()

    @property
    def busy(self) -> bool:
        """While something is being written or found, what is shown is about to change anyway."""
        return bool(self.changing.writing) or self.reading("ids")

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """The store has changed: ask again."""
        self.ask(touched)

    # Asking

    def put(self, prompt: str) -> None:
        """Ask another prompt."""
        self.line.put(prompt)
        self.leave_field()
        self.ask(fresh=True)

    def ask(
        self, near: tuple[int, ...] = (), wait: float = 0.0, fresh: bool = False, change: Change | None = None
    ) -> None:
        """Ask anew; after a `change` it is said what that did."""
        self.begin(partial(self._find, near, wait, fresh, change), "ids")

    async def _find(self, near: tuple[int, ...], wait: float, fresh: bool, change: Change | None) -> None:
        """Ask in a lane: a prompt that is typed meanwhile ends this, and what has not begun is never done."""
        await asyncio.sleep(wait)
        context, executor = self.context, self.context.executors["recall"]
        if not self.prompt:
            self.answer, self.seen = None, await context.executors["ids"].run(context.store.journal.seq)
            self._show(near, fresh)
            self.list.keep_marks()
            return
        question = Question(self.prompt, self.preset, self.against, self.budget, self.among, self.form)
        if self.answer is None:
            self.line.count(Content.styled("opening the search index …", "$muted"))
        answer = await executor.run(partial(self.recaller.ask, question, context.now()))
        self.answer, self.seen = answer, answer.seq
        self._show(near, fresh)
        if answer.notes != self._noted:
            self._noted = answer.notes
            self.say(" · ".join(answer.notes))
        if change is not None and change.former is not None and change.former.question == question:
            came = queries.effect(change.former, answer, change.memories)
            self.say(" · ".join(filter(None, (change.told, came))), Tone.GOOD, undo=change.undo)
        await asyncio.sleep(self.context.timings.omissions)
        self.answer = await executor.run(partial(self.recaller.omissions_of, answer))
        self._show((), False)
        self.list.keep_marks()  # not before: what is marked may be among what no search sees

    def _show(self, near: tuple[int, ...], fresh: bool) -> None:
        answer = self.answer
        self.list.compared = answer is not None and answer.question.against is not None
        self.list.checked = answer is not None and answer.checked is not None
        if answer is None:
            self.list.show((), ())
        else:
            self.list.show(answer.above, answer.below, near, fresh)
        self._block.show(answer)
        self.update_bars()

    def update_bars(self) -> None:
        """Say what was asked, by what it is ranked, how much it is, and what is under the cursor."""
        answer = self.answer
        nothing = answer is not None and not self.list.ids
        self.set_class(answer is None or nothing, "-empty")
        first, rest = ("Nothing is near to that. ", "A model would be given nothing.") if nothing else (
            "Type a prompt. ", "What a model would be given with it shows as you type; looking counts as no use."
        )  # fmt: skip
        self.query_one("#nothing", Static).update(Content.assemble((first, "bold $text"), (rest, "$muted")))
        among = [f"among {term}" for term in split_terms(self.among)[:1]] + split_terms(self.among)[1:]
        self.line.chips([f"“{self.prompt}”", *among] if self.prompt else among)
        self.line.count(self._counted())
        self._head.update(self._legend())
        self._note.update(_note(self._current))
        self.screen.refresh_bindings()

    def _counted(self) -> Content:
        answer = self.answer
        if answer is None:
            return Content()
        told = Content.styled(f"{len(answer.above):,} in, {len(answer.below):,} out", "$muted")
        if marked := len(self.list.marks):
            told = Content.assemble((f"{marked:,} marked · ", "bold $mark"), told)
        if answer.checked is None:
            return told
        look = "$good" if answer.checked.holds else "$bad"
        return Content.assemble((f"{queries.verdict(answer.checked)} · ", look), told)

    def _legend(self) -> Content:
        beside = f" beside {self.against}" if self.against is not None else ""
        preset = "" if self.answer is None else self.answer.preset
        parts: list[tuple[str, str]] = [(f"by {preset}{beside}", "$accent"), ("   bars: ", "$muted")]
        for name, sign, _ in signs(self.context.glyphs):
            parts.append((f"{sign} {name}  ", "$muted"))
        return Content.assemble(*parts)

    @property
    def _current(self) -> Line | None:
        return None if self.list.current is None else self.list.row(self.list.current)

    @property
    def memory(self) -> Memory | None:
        """The memory under the cursor."""
        return None if self._current is None else self._current.memory

    @on(VirtualList.Moved)
    def cursor_moved(self) -> None:
        """Say why what is under the cursor is where it is."""
        self._note.update(_note(self._current))
        self.screen.refresh_bindings()

    # What works now

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Most need a memory under the cursor."""
        if not self.is_mounted or action in _ANYWHERE:
            return True
        if action == "back":
            return bool(self.line.typing or self.has_class("-reading") or self.list.marks or self.prompt or self.among)
        if action == "copy_block":
            return self.answer is not None and bool(self.answer.block.text)
        if action == "open" and self.line.typing:
            return False
        line = self._current
        if action == "repeat":
            return line is not None and self.context.last_verb is not None
        if action == "decide" and line is not None and self.list.marks:
            return True
        if action == "decide" and line is not None:
            return (line.memory.life is not Life.LIVE) == (parameters == ("restore",)) or parameters == ("purge",)
        return line is not None

    # Moving

    @property
    def rows(self) -> VirtualList[Any]:
        """The list."""
        return self.list

    def action_move(self, lines: int) -> None:
        """Move the cursor; the block, where that has the screen; from the field first of all to the list."""
        if self.line.typing:
            self.leave_field()
        elif self.has_class("-reading"):
            self.action_scroll_detail(lines)
        else:
            super().action_move(lines)

    @property
    def scrolled(self) -> Widget:
        """The block."""
        return self._block.scroll

    def action_pane(self) -> None:
        """From the field to the list; from there to the block where it has no room beside it, else to the field."""
        if self.line.typing:
            self.leave_field()
        elif self.has_class("-reading") or self._block.display or self.answer is None:
            self.action_search()
        else:
            self.read_closely()

    def widen(self) -> None:
        """Ask among all memories, then nothing."""
        if self.among:
            self.among = ""
        else:
            self.line.put("")
        self.ask()

    def on_input_changed(self) -> None:
        """Ask once the typing pauses."""
        self.ask(wait=self.context.timings.typing, fresh=True)

    def leave_field(self) -> None:
        """Keep the prompt, and go through what was found."""
        self.line.show_field(False)
        self.take_keys()
        self.update_bars()

    def take_keys(self) -> None:
        """Give the keys to the list, or to the view while that is empty."""
        (self if self.has_class("-empty") else self.list).focus()

    # How it is asked

    def action_preset(self) -> None:
        """Ask by which preset."""
        self.begin(partial(dialogs.preset, self), "asking")

    def action_against(self) -> None:
        """Ask beside which preset the places are shown."""
        self.begin(partial(dialogs.against, self), "asking")

    def action_budget(self) -> None:
        """Ask for a budget."""
        self.begin(partial(dialogs.budget, self), "asking")

    def action_form(self) -> None:
        """Ask for the form of the block."""
        self.begin(partial(dialogs.form, self), "asking")

    def action_among(self) -> None:
        """Ask among which memories."""
        self.begin(partial(dialogs.among, self), "asking")

    def action_checks(self) -> None:
        """Show what comes of the checks."""
        self.begin(partial(self.changing.reported, partial(dialogs.checks, self)), "asking")

    # Marking

    @on(VirtualList.Marked)
    def marks_changed(self) -> None:
        """Say how many are marked."""
        self.line.count(self._counted())
        self.screen.refresh_bindings()

    def concerned(self) -> list[Line]:
        """The marked lines in the order of the list, else the one under the cursor; none while some are not found."""
        here = self.list
        if not here.settled:
            self.say("some of what is marked is still being looked for: again in a moment")
            return []
        numbers = [number for number in here.ids if number in here.marks] or [here.current or RULE]
        return [row for number in numbers if (row := here.row(number)) is not None]

    # Changing what is found

    def action_useful(self, useful: bool) -> None:
        """Make them warmer, or colder."""
        self.changing.mark(self.concerned(), useful)

    def action_expect(self, wanted: bool) -> None:
        """Keep in a check that they must be given for this prompt, or must not; the same again takes that back."""
        if self.among:
            self.say("a check is of the prompt alone: take the filter off first")
        else:
            self.changing.expect(self.concerned(), wanted)

    def action_decide(self, name: str) -> None:
        """Do a verb on the marked, else on the memory under the cursor; what it comes to shows in the list."""
        self.changing.decide(name, [line.memory.id for line in self.concerned()])

    def action_repeat(self) -> None:
        """The last verb again."""
        self.changing.repeat([line.memory.id for line in self.concerned()])

    # Looking closer

    @on(VirtualList.Chosen)
    def action_open(self) -> None:
        """The memory, in Memories."""
        if (memory := self.memory) is not None:
            self.go("memories", Target(terms=listed_under(memory), memory=memory.id, returns=True))

    def action_copy_block(self) -> None:
        """The block, to be given to a model: that is a use of what is in it."""
        if self.answer is not None and self.answer.block.text:
            self.app.copy_to_clipboard(self.answer.block.text)
            self.begin(partial(self._note_use, self.answer), "writes", exclusive=False)

    async def _note_use(self, answer: Answer) -> None:
        store, made = self.context.store, answer.block

        def note() -> None:
            store.recalls.record_use(made.memories)
            store.recalls.put(made.id, made.memories)

        await self.context.executors["writes"].run(note)
        self.say(f"copied the block, {made.tokens:,} tokens; it counts as recall {made.id}")


def _note(line: Line | None) -> Content:
    """How a memory stands, and why it is where it is."""
    if line is None:
        return Content()
    gone = "" if line.memory.life is Life.LIVE else f"{line.memory.life} · "
    standing = Content.styled(gone + queries.standing(line), "$muted")
    return Content("\n").join([standing, Content.styled(line.told, "$text")])
