"""The area Recall: type a prompt, and see what a model would be given with it, why, and what was left out."""

import asyncio
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import Static

from curator.export.plain import visible
from curator.recall.names import Preset
from curator.tui import choosing, deciding, recalling
from curator.tui.actions import LISTS, RECALL, bindings
from curator.tui.areas.area import Target, Tone
from curator.tui.areas.listed import Listed
from curator.tui.choosing import Asked, Unfit
from curator.tui.deciding import Verb
from curator.tui.desk import Desk
from curator.tui.recalling import Answer, Line, Question, Recaller
from curator.tui.screens.asking import Ask, Menu, Option
from curator.tui.widgets.block_pane import BlockPane
from curator.tui.widgets.filter_line import FilterLine
from curator.tui.widgets.hit_list import HitList, signs
from curator.tui.widgets.rows import RowList
from curator.tui.wording import decimal, listed_under
from store import NotFound, StoreError
from store.model import Life, Memory

TYPING = 0.1  # seconds without a key before a search begins
REST = 0.5  # seconds after which it is looked for what no search sees
_LEAST = 50  # tokens of a budget
_ALONE = "none"
_ANYWHERE = frozenset("search preset against budget pane pane_back".split())
_PRESETS = (
    Option("c", Preset.CURATOR, "ours, measured to find most"),
    Option("o", Preset.YOCORE, "places by words and by meaning"),
    Option("h", Preset.HYBRID, "meaning, words and age"),
    Option("l", Preset.LYNKR, "words, importance and age"),
    Option("y", Preset.YAK, "meaning × age × warmth × tier"),
    Option("a", Preset.YAK_ADDITIVE, "the same as a sum"),
    Option("g", Preset.YAK_LOG, "the same as logarithms"),
)


class Recall(Listed):
    """The prompt above, hits and what was left out at the left, the block at the right; nothing here counts as use."""

    NAME: ClassVar[str] = "recall"
    BINDINGS = bindings((*RECALL, *LISTS))

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.preset: Preset | None = None  # as the settings say
        self.against: Preset | None = None
        self.budget: int | None = None
        self.answer: Answer | None = None
        self.list = HitList(desk.glyphs)
        self._line = FilterLine("type a prompt: what a model would be given with it")
        self._head, self._note = Static(id="head", markup=False), Static(id="note", markup=False)
        self._block = BlockPane()
        self._recaller = Recaller(desk.store)
        self._writing = 0
        self._noted: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """The prompt, what its answer is ranked by, the list with a note on the line under the cursor, the block."""
        yield self._line
        yield self._head
        with Container(classes="panes"):
            with Vertical(classes="lists"):
                yield self.list
                yield self._note
            yield self._block
        yield Static(id="nothing")

    def on_mount(self) -> None:
        """Nothing is asked at first."""
        self._tell()

    def open(self, target: Target | None) -> None:
        """Come to the front; where nothing is asked yet, with the field for the prompt."""
        if not self._line.text.strip():
            self.action_search()
        elif not self._line.typing:
            self._take_keys()

    @property
    def prompt(self) -> str:
        """What is asked."""
        return self._line.text.strip()

    @property
    def busy(self) -> bool:
        """While something is being written or found, what is shown is about to change anyway."""
        return bool(self._writing) or self.reading("ids")

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """The store has changed: ask again."""
        self._ask(touched)

    # Asking

    def _ask(self, near: tuple[int, ...] = (), wait: float = 0.0, fresh: bool = False) -> None:
        self.begin(partial(self._find, near, wait, fresh), "ids")

    async def _find(self, near: tuple[int, ...], wait: float, fresh: bool) -> None:
        """Ask in a lane: a prompt that is typed meanwhile ends this, and what has not begun is never done."""
        await asyncio.sleep(wait)
        desk, lane = self.desk, self.desk.lanes["recall"]
        if not self.prompt:
            self.answer, self.seen = None, await desk.lanes["ids"].run(desk.store.seq)
            self._show(near, fresh)
            return
        question = Question(self.prompt, self.preset, self.against, self.budget)
        if self.answer is None:
            self._line.count(Content.styled("opening the search index …", "$muted"))
        answer = await lane.run(partial(self._recaller.ask, question, desk.now()))
        self.answer, self.seen = answer, answer.seq
        self._show(near, fresh)
        if answer.notes != self._noted:
            self._noted = answer.notes
            self.say(" · ".join(answer.notes))
        await asyncio.sleep(REST)
        self.answer = await lane.run(partial(self._recaller.missed, answer))
        self._show((), False)

    def _show(self, near: tuple[int, ...], fresh: bool) -> None:
        answer = self.answer
        self.list.compared = answer is not None and answer.question.against is not None
        self.list.checked = answer is not None and answer.checked is not None
        if answer is None:
            self.list.show((), ())
        else:
            self.list.show(answer.above, answer.below, near, fresh)
        self._block.show(answer)
        self._tell()

    def _tell(self) -> None:
        """Say what was asked, by what it is ranked, how much it is, and what is under the cursor."""
        answer = self.answer
        nothing = answer is not None and not self.list.ids
        self.set_class(answer is None or nothing, "-empty")
        first, rest = ("Nothing is near to that. ", "A model would be given nothing.") if nothing else (
            "Type a prompt. ", "What a model would be given with it shows as you type; looking counts as no use."
        )  # fmt: skip
        self.query_one("#nothing", Static).update(Content.assemble((first, "bold $text"), (rest, "$muted")))
        self._line.chips([f"“{self.prompt}”"] if self.prompt else ())
        self._line.count(self._counted())
        self._head.update(self._legend())
        self._note.update(_note(self._current))
        self.screen.refresh_bindings()

    def _counted(self) -> Content:
        answer = self.answer
        if answer is None:
            return Content()
        told = Content.styled(f"{len(answer.above):,} in, {len(answer.below):,} out", "$muted")
        if answer.checked is None:
            return told
        look = "$good" if answer.checked.holds else "$bad"
        return Content.assemble((f"{recalling.verdict(answer.checked)} · ", look), told)

    def _legend(self) -> Content:
        beside = f" beside {self.against}" if self.against is not None else ""
        preset = "" if self.answer is None else self.answer.preset
        parts: list[tuple[str, str]] = [(f"by {preset}{beside}", "$accent"), ("   bars: ", "$muted")]
        for name, sign, _ in signs(self.desk.glyphs):
            parts.append((f"{sign} {name}  ", "$muted"))
        return Content.assemble(*parts)

    @property
    def _current(self) -> Line | None:
        return None if self.list.current is None else self.list.row(self.list.current)

    @on(RowList.Moved)
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
            return self._line.typing or self.has_class("-reading") or bool(self.prompt)
        if action == "copy_block":
            return self.answer is not None and bool(self.answer.block.text)
        if action == "open" and self._line.typing:
            return False
        line = self._current
        if action == "decide" and line is not None:
            return (line.memory.life is not Life.LIVE) == (parameters == ("restore",)) or parameters == ("purge",)
        return line is not None

    # Moving

    @property
    def moving(self) -> RowList[Any]:
        """The list."""
        return self.list

    def action_move(self, lines: int) -> None:
        """Move the cursor; the block, where that has the screen."""
        if self.has_class("-reading"):
            self._block.scroll_by(lines)
        else:
            super().action_move(lines)

    def action_scroll_detail(self, lines: int) -> None:
        """Scroll the block."""
        self._block.scroll_by(lines)

    def action_search(self) -> None:
        """Type a prompt."""
        self.remove_class("-reading")
        self._line.open()

    def action_pane(self) -> None:
        """From the field to the list; from there to the block where it has no room beside it, else to the field."""
        if self._line.typing:
            self._leave_field()
        elif self.has_class("-reading") or self._block.display or self.answer is None:
            self.action_search()
        else:
            self.add_class("-reading")
            self.focus()
            self.screen.refresh_bindings()

    def action_back(self) -> None:
        """Close one layer."""
        if self._line.typing:
            self._leave_field()
        elif self.has_class("-reading"):
            self.remove_class("-reading")
            self._take_keys()
        else:
            self._line.put("")
            self._ask()
        self.screen.refresh_bindings()

    def on_input_changed(self) -> None:
        """Ask once the typing pauses."""
        self._ask(wait=TYPING, fresh=True)

    def on_input_submitted(self) -> None:
        """Keep the prompt, and go through what was found."""
        self._leave_field()

    def _leave_field(self) -> None:
        self._line.show_field(False)
        self._take_keys()
        self._tell()

    def _take_keys(self) -> None:
        (self if self.has_class("-empty") else self.list).focus()

    # How it is asked

    def action_preset(self) -> None:
        """Ask by which preset."""
        self.begin(self._choose_preset, "asking")

    async def _choose_preset(self) -> None:
        chosen = await self.app.push_screen_wait(
            Menu("Rank by", _PRESETS, None if self.answer is None else self.answer.preset)
        )
        if chosen is not None:
            self.preset = Preset(chosen)
            self._ask()

    def action_against(self) -> None:
        """Ask beside which preset the places are shown."""
        self.begin(self._choose_other, "asking")

    async def _choose_other(self) -> None:
        options = [Option("n", _ALONE, "no places beside"), *_PRESETS]
        chosen = await self.app.push_screen_wait(Menu("Beside the places by", options, self.against or _ALONE))
        if chosen is not None:
            self.against = None if chosen == _ALONE else Preset(chosen)
            self._ask()

    def action_budget(self) -> None:
        """Ask for a budget."""
        self.begin(self._choose_budget, "asking")

    async def _choose_budget(self) -> None:
        async def fits(text: str) -> str | None:
            return None if text.isdecimal() and int(text) >= _LEAST else f"a number of {_LEAST} or more"

        former = "" if self.answer is None else str(self.answer.budget)
        question = Ask("Tokens a block may have", "Kept while the app runs; else recall.budget.", former, fits)
        chosen = await self.app.push_screen_wait(question)
        if chosen:
            self.budget = int(chosen)
            self._ask()

    # Changing what is found

    def action_useful(self, useful: bool) -> None:
        """Make it warmer, or colder."""
        if (line := self._current) is not None:
            self._writing += 1
            self.begin(partial(self._mark, line.memory, useful), "writes", exclusive=False)

    async def _mark(self, memory: Memory, useful: bool) -> None:
        def mark() -> dict[int, float]:
            from curator.lifecycle import mark_useful

            marked, store = [memory.id], self.desk.store
            return mark_useful(store, marked) if useful else mark_useful(store, useless=marked)

        try:
            warmth = await self.desk.lanes["writes"].run(mark)
        except StoreError as error:
            self.say(str(error), Tone.BAD)
            return
        finally:
            self._writing -= 1
        words = "of use" if useful else "of no use"
        told = f"{words}: “{deciding.short(memory.text)}”, its warmth is {decimal(warmth[memory.id])}"
        self.say(told, Tone.GOOD, f"{'-' if useful else '+'} takes it back")
        self._ask()

    def action_expect(self, wanted: bool) -> None:
        """Keep in a check that it must be given for this prompt, or must not; the same again takes that back."""
        if (line := self._current) is not None and self.answer is not None:
            said = None if line.expected is wanted else wanted
            self._writing += 1
            self.begin(partial(self._expect, self.answer.question.prompt, line.memory, said), "writes", exclusive=False)

    async def _expect(self, prompt: str, memory: Memory, wanted: bool | None) -> None:
        def keep() -> None:
            from curator.recall.checks import expect

            expect(self.desk.store, prompt, [memory.id], wanted)

        try:
            await self.desk.lanes["writes"].run(keep)
        except (StoreError, ValueError) as error:
            self.say(str(error), Tone.BAD)
            return
        finally:
            self._writing -= 1
        words = {True: "must be given for this prompt", False: "must not be given for this prompt"}
        told = words[wanted] if wanted is not None else "is in no check of this prompt any more"
        self.say(f"“{deciding.short(memory.text)}” {told}", Tone.GOOD, "`curator check` runs all checks")
        self._ask()

    def action_decide(self, name: str) -> None:
        """Do a verb on the memory under the cursor; what it comes to shows in the list."""
        if (line := self._current) is None:
            return
        memory = line.memory.id
        if name in choosing.ASKING:
            asked = Asked(self.app, self.desk, [memory], memory, self._perform)
            self.begin(partial(self._ask_first, name, asked), "asking")
        else:
            self._writing += 1
            self.begin(partial(self._carry_out, deciding.PLAIN[name], [memory]), "writes", exclusive=False)

    async def _ask_first(self, name: str, asked: Asked) -> None:
        try:
            await choosing.ASKING[name](asked)
        except (StoreError, ValueError) as error:
            self.say(str(error), Tone.PLAIN if isinstance(error, Unfit) else Tone.BAD)

    async def _perform(self, verb: Verb, memories: list[int]) -> str | None:
        self._writing += 1
        return await self.apart(partial(self._carry_out, verb, memories))

    async def _carry_out(self, verb: Verb, memories: list[int]) -> str | None:
        """Do it, say so, and ask again; what spoke against it is returned."""
        desk = self.desk
        only = next((row.memory for number in memories[:1] if (row := self.list.row(number)) is not None), None)
        try:
            done = await desk.lanes["writes"].run(partial(deciding.carry_out, desk.store, verb, memories))
        except (StoreError, ValueError) as error:
            self.say(str(error), Tone.BAD)
            return str(error)
        finally:
            self._writing -= 1
        if verb.repeats:
            desk.last_verb = verb.again or verb
        self.say(deciding.told(verb, done, only), Tone.GOOD, "u undo" if done.changed and verb.undoable else "")
        self._ask()
        return None

    # Looking closer

    @on(RowList.Chosen)
    def action_open(self) -> None:
        """The memory, in Memories."""
        if (line := self._current) is not None:
            self.go("memories", Target(terms=listed_under(line.memory), memory=line.memory.id))

    def action_source(self) -> None:
        """Where it was said."""
        if (line := self._current) is not None:
            self.begin(partial(self._open_source, line.memory.id), "target")

    async def _open_source(self, memory: int) -> None:
        try:
            evidence = await self.desk.lanes["rows"].run(partial(self.desk.store.evidence, memory))
        except NotFound:
            evidence = []
        known = [item for item in evidence if item.message is not None and item.conversation is not None]
        if known:
            last = known[-1]
            self.go("sources", Target(memory=memory, message=last.message, span=(last.start, last.end)))
        else:
            self.say(f"memory {memory} has no source in this store")

    def action_past(self) -> None:
        """What was done to it."""
        if (line := self._current) is not None:
            self.go("history", Target(memory=line.memory.id))

    def action_copy(self) -> None:
        """The text of the memory."""
        if (line := self._current) is not None:
            self.app.copy_to_clipboard(visible(line.memory.text))
            self.say("copied; your terminal has to allow it")

    def action_copy_block(self) -> None:
        """The block, to be given to a model: that is a use of what is in it."""
        if self.answer is not None and self.answer.block.text:
            self.app.copy_to_clipboard(self.answer.block.text)
            self.begin(partial(self._note_use, self.answer), "writes", exclusive=False)

    async def _note_use(self, answer: Answer) -> None:
        store, made = self.desk.store, answer.block

        def note() -> None:
            store.record_use(made.memories)
            store.record_recall(made.id, made.memories)

        await self.desk.lanes["writes"].run(note)
        self.say(f"copied the block, {made.tokens:,} tokens; it counts as recall {made.id}")


def _note(line: Line | None) -> Content:
    """How a memory stands, and why it is where it is."""
    if line is None:
        return Content()
    gone = "" if line.memory.life is Life.LIVE else f"{line.memory.life} · "
    standing = Content.styled(gone + recalling.standing(line), "$muted")
    return Content("\n").join([standing, Content.styled(line.told, "$text")])
