"""The Recall view: type a prompt, see the memories a model would get, why, and what was left out."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from curator.tui.actions import LISTS, RECALL, bindings
from curator.tui.context import AppContext
from curator.tui.keymap import first_key, key_hint
from curator.tui.labels import listed_under
from curator.tui.memories.queries import is_empty
from curator.tui.memories.verb_view import VerbView
from curator.tui.messages import StatusMessage, Target, Tone
from curator.tui.recall import dialogs, queries
from curator.tui.recall.commands import Feedback, RecallChange
from curator.tui.recall.panes import BlockPane, HitList, signs
from curator.tui.recall.queries import RecallAnswer, Recaller, RecallQuestion, RecallRow
from curator.tui.text_format import one_line
from curator.tui.verbs import Done, Verb
from curator.tui.widgets.virtual_list import VirtualList
from store.filter import split_terms
from store.model import Life, Memory

_ORDER = "   always given first, safety, asked about you, then by score"
_ANYWHERE = frozenset("search choose project checks next_pane previous_pane".split())


class Recall(VerbView):
    """The prompt at the top, the hits and omissions on the left, the block on the right."""

    NAME: ClassVar[str] = "recall"
    BINDINGS = bindings((*RECALL, *LISTS))

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, "type a prompt to see which memories a model would get")
        self.question = RecallQuestion()
        self.answer: RecallAnswer | None = None
        self.list: HitList = HitList(context.glyphs)
        self._head, self._note = Static(id="head", markup=False), Static(id="note", markup=False)
        self._block, self.recaller = BlockPane(), Recaller(context.store)
        self.scrolled = self._block.scroll
        self._feedback = Feedback(context.store)
        self._noted: tuple[str, ...] = ()
        self._no_memories = False
        self._unasked = False  # the field got the focus without its key

    def compose(self) -> ComposeResult:
        """Lay out the prompt, the ranking, the list with a note on the memory under the cursor, and the block."""
        lists = Vertical(self.list, self._note, classes="lists")
        return (self.line, self._head, Container(lists, self._block, classes="panes"), Static(id="nothing"))

    def on_mount(self) -> None:
        """Show the empty view."""
        self.update_bars()

    def open(self, target: Target | None) -> None:
        """Show the view with the prompt field focused, unless there are no memories; typing replaces the prompt."""
        self.remove_class("-reading")
        self.line.open()
        self._unasked = True
        if not self.prompt:
            self.ask()

    def come_back(self) -> None:
        """Show the view with the list focused, if there is a prompt."""
        if not self.prompt:
            self.open(None)
        elif not self.line.typing:
            self.take_keys()

    def undo_own_change(self) -> tuple[str, tuple[int, ...]] | None:
        """Undo the last feedback, or the last change of a check."""
        return self._feedback.take_back()

    @property
    def prompt(self) -> str:
        """The typed prompt."""
        return self.line.text.strip()

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Ask again, as the store has changed."""
        self.ask(touched)

    # Asking

    def put(self, prompt: str) -> None:
        """Ask another prompt."""
        self.line.put(prompt)
        self.leave_field()
        self.ask(fresh=True)

    def ask(
        self, near: tuple[int, ...] = (), wait: float = 0.0, fresh: bool = False, change: RecallChange | None = None
    ) -> None:
        """Ask again; after a `change`, report its effect."""
        self.begin(partial(self._find, near, wait, fresh, change), "ids")

    async def _find(self, near: tuple[int, ...], wait: float, fresh: bool, change: RecallChange | None) -> None:
        """Ask in a thread; a newly typed prompt cancels this, also before it has started."""
        await asyncio.sleep(wait)
        context = self.context
        self.question = replace(self.question, prompt=self.prompt)
        if not self.prompt:
            self.answer, self.seen = None, await context.run("ids", context.store.journal.seq)
            self._no_memories = await context.run("ids", is_empty, context.store)
            if self._no_memories and self._unasked:  # the keys named in the text must work
                self.leave_field()
            self._show(near, fresh)
            self.list.keep_marks()
            return
        question, former = self.question, change.former if change is not None else None
        if self.answer is None:
            self.line.count(Content.styled("opening the search index …", "$muted"))
        answer = await context.run("recall", self.recaller.ask, question, context.now())
        self._no_memories = not answer.above and not answer.below and await context.run("ids", is_empty, context.store)
        self.answer, self.seen = answer, answer.seq
        self._show(near, fresh)
        if answer.notes != self._noted:
            self._noted = answer.notes
            self.say(" · ".join(answer.notes))
        if change is not None and former is not None and former.question == question:
            parts = (change.message.text, queries.effect(former, answer, change.memories))
            self.post_message(StatusMessage(" · ".join(filter(None, parts)), Tone.GOOD, undo=change.message.undo))
        await asyncio.sleep(self.context.timings.omissions)
        self.answer = await context.run("recall", self.recaller.with_omissions, answer)
        self._show((), False)
        self.list.keep_marks()  # not earlier: marked memories may be among the added omissions

    def _show(self, near: tuple[int, ...], fresh: bool) -> None:
        self.list.show(self.answer, near, fresh)
        self._block.show(self.answer)
        self.update_bars()

    def update_bars(self) -> None:
        """Show the prompt, the filter, the ranking, the counts, and the note on the memory under the cursor."""
        answer, question = self.answer, self.question
        nothing = answer is not None and not self.list.ids
        self.set_class(answer is None or nothing, "-empty")
        among = [f"in project {question.project}"] if question.project else []
        among += [f"only {term}" for term in split_terms(question.among)]
        first, rest = "No relevant memories. ", "A model would get nothing for this prompt."
        if answer is None:
            first, rest = "Type a prompt ", "to see which memories a model would get. This is not counted as a use."
        elif question.among:
            first, rest = "Nothing relevant matches your filter.", ""
        only = one_line(" ".join(among))  # the filter bar has no room: it shows only the prompt
        words = [(first, "bold $text"), (rest, "$muted")]
        if among:
            key = key_hint(self.app, "only-among" if question.among else "project")
            words += [(f"\n{only}", "$accent"), (f" · {key} changes it", "$muted")]
        self.query_one("#nothing", Static).update(self.first_steps() if self._no_memories else Content.assemble(*words))
        self.line.chips([f"“{self.prompt}”"] if self.prompt else [])
        self.line.count(self._counted())
        against = f" vs {question.against}" if question.against is not None else ""
        preset = "" if answer is None else f"ranked by {answer.preset}{against}"
        known = queries.GROUPS if answer is None else answer.groups
        parts = [(f" {sign} {name}", "$muted") for name, sign, _ in signs(self.context.glyphs) if name in known]
        head = ((f"{only}   " if among else "", "bold $accent"), (preset, "$accent"), ("  ", ""), *parts)
        self._head.update(Content.assemble(*head, (_ORDER, "$muted")))
        self._update_note()

    def _counted(self) -> Content:
        answer = self.answer
        if answer is None:
            return Content()
        checked, marked = answer.checked, len(self.list.marks)
        return Content.assemble(
            (f"{queries.verdict(checked)} · ", "$good" if checked.holds else "$bad") if checked is not None else "",
            (f"{marked:,} marked · " if marked else "", "bold $mark"),
            (f"{len(answer.above):,} of {len(answer.above) + len(answer.below):,} included", "$muted"),
        )

    @property
    def memory(self) -> Memory | None:
        """The memory under the cursor."""
        return None if self.list.current_row is None else self.list.current_row.memory

    @on(VirtualList.Moved)
    def cursor_moved(self) -> None:
        """Explain the rank of the memory under the cursor."""
        self._update_note()

    def _update_note(self) -> None:
        note, line = Content(), self.list.current_row
        if line is not None:
            life = "" if line.memory.life is Life.LIVE else f"{line.memory.life} · "
            life += "has a conflict · " if line.memory.id in self.list.alerted else ""
            note = Content.assemble((life + queries.note(line), "$muted"), "\n", (line.explanation, "$text"))
        self._note.update(note)
        self.screen.refresh_bindings()

    # Enabled actions

    def enables(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Enable most actions only on a memory."""
        if action in _ANYWHERE:
            return True
        if action == "back":
            return bool(
                self.line.typing
                or self.has_class("-reading")
                or self.list.marks
                or self.prompt
                or self.question.among
                or self.question.project
            )
        if action == "copy_block":
            return self.answer is not None and bool(self.answer.block.text)
        if action == "open" and self.line.typing:
            return False
        line = self.list.current_row
        if action == "repeat":
            return line is not None and self.context.last_verb is not None
        if action == "decide" and line is not None and self.list.marks:
            return True
        if action == "decide" and line is not None:
            return (line.memory.life is not Life.LIVE) == (parameters == ("restore",)) or parameters == ("purge",)
        return line is not None

    # Moving

    def action_move(self, lines: int) -> None:
        """Move the cursor, or scroll the block while it is full screen; from the field, go to the list."""
        if self.line.typing:
            self.leave_field()
        elif self.has_class("-reading"):
            self.action_scroll_detail(lines)
        else:
            super().action_move(lines)

    def action_next_pane(self) -> None:
        """Go from the field to the list; from there to the block if it is hidden, else to the field."""
        if self.line.typing:
            self.leave_field()
        elif self.has_class("-reading") or self._block.display or self.answer is None:
            self.action_search()
        else:
            self.read_closely()

    def widen(self) -> None:
        """Clear the filter, then the prompt, then the project."""
        if self.question.among:
            self.question = replace(self.question, among="")
        elif not self.prompt:
            self.question = replace(self.question, project=None)
        else:
            self.line.put("")
        self.ask()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Ask when typing pauses; ignore the key of the field if the field already has the focus."""
        if self._unasked and event.value == first_key(self.app, "search"):
            self.line.put(self.line.text.removeprefix(event.value))
        self._unasked = False
        self.ask(wait=self.context.timings.typing, fresh=True)

    def leave_field(self) -> None:
        """Keep the prompt, and focus the list."""
        self.line.show_field(False)
        self.take_keys()
        self.update_bars()

    def take_keys(self) -> None:
        """Focus the list, or the view while the list is empty."""
        (self if self.has_class("-empty") else self.list).focus()

    # Options

    def action_choose(self, what: str) -> None:
        """Ask for a preset, a comparison, a budget, a format or a filter."""
        self.begin_dialog(partial(self._choose, dialogs.DIALOGS[what]))

    async def _choose(self, dialog: dialogs.Dialog) -> None:
        chosen = await dialog(self.app, self.question, self.answer)
        if chosen is not None:
            self.question = chosen
            self.ask()

    def action_project(self) -> None:
        """Ask for the project in whose sessions the prompt would be typed."""
        self.begin_dialog(partial(self.run_dialog, self._choose_project))

    async def _choose_project(self) -> None:
        known = await self.context.run("ids", self.context.store.project_counts)
        if not known:
            self.say("no memory has a project")
            return
        chosen = await self.app.push_screen_wait(dialogs.project_menu(known, self.question.project))
        if chosen is not None:
            self.question = replace(self.question, project=chosen or None)
            self.ask()

    def action_checks(self) -> None:
        """Run the checks, and list them."""
        self.begin_dialog(partial(self.run_dialog, self._run_checks))

    async def _run_checks(self) -> None:
        """Run the checks; ask the prompt of the chosen one, with preset and budget of the settings."""
        from curator.services.recall import NOT_WARMED

        self.say("running the checks …")
        run = await self.context.run("recall", self.recaller.run_checks, self.context.now())
        found = sorted(run.results, key=lambda outcome: outcome.holds)
        if not found:
            self.say("no checks yet: > or < on a memory adds one for this prompt")
            return
        failed = sum(not outcome.holds for outcome in found)
        result = f"{failed:,} of {len(found):,} checks fail" if failed else "all checks pass"
        self.say(result if run.warmed else f"{result}; {NOT_WARMED}")
        chosen = await self.app.push_screen_wait(dialogs.checks_menu(found))
        if chosen is not None:
            check = next(one.check for one in found if str(one.check.id) == chosen)
            self.question = replace(self.question, preset=None, budget=None, among="", project=check.project)
            self.put(check.query)

    # Marking

    @on(VirtualList.Marked)
    def marks_changed(self) -> None:
        """Show the number of marked memories."""
        self.line.count(self._counted())
        self.screen.refresh_bindings()

    def concerned_lines(self) -> list[RecallRow]:
        """Return the marked rows in list order, else the one under the cursor; none while omissions are searched."""
        found = self.list.concerned
        if len(found) < len(self.list.marks):
            self.say_of_marks("still searching for some of the marked memories: try again in a moment")
            return []
        return [row for number in found if (row := self.list.row(number)) is not None]

    def concerned(self, verb: str = "") -> list[int]:
        """Return the memories of the marked lines, else of the one under the cursor."""
        return [line.memory.id for line in self.concerned_lines()]

    # Feedback and verbs

    def action_useful(self, useful: bool) -> None:
        """Rate the memories as useful or not, which makes them warmer or colder."""
        if lines := self.concerned_lines():
            memories = [line.memory for line in lines]
            numbers = [memory.id for memory in memories]
            self.write(self._feedback.mark(memories, useful, partial(self._changed, numbers)))

    def action_expect(self, wanted: bool) -> None:
        """Add a check that recall must include the memories for this prompt, or must not; repeating removes it."""
        if self.question.among:
            self.say("checks only cover the prompt and its project: clear the filter first")
        elif self.answer is not None and (lines := self.concerned_lines()):
            self.write(self._feedback.expect(self.answer.question, lines, wanted, self.ask))

    def loaded_row(self, memory_id: int) -> Memory | None:
        """Return the memory of a row."""
        line = self.list.row(memory_id)
        return None if line is None else line.memory

    def verb_done(self, verb: Verb, memories: list[int], done: Done, message: StatusMessage) -> None:
        """Ask again, and report the change of the answer."""
        self._changed(memories, message)

    def _changed(self, memories: list[int], message: StatusMessage) -> None:
        self.ask(change=RecallChange(message, memories, self.answer))

    # Details

    @on(VirtualList.Chosen)
    def action_open(self) -> None:
        """Open the memory in Memories."""
        if (memory := self.memory) is not None:
            self.go("memories", Target(terms=listed_under(memory), memory_id=memory.id, returns=True))

    def action_copy_block(self) -> None:
        """Copy the block for a model; counts as a use of its memories."""
        if self.answer is not None and self.answer.block.text:
            self.app.copy_to_clipboard(self.answer.block.text)
            self.begin(partial(self._note_use, self.answer), "writes", exclusive=False)

    async def _note_use(self, answer: RecallAnswer) -> None:
        store, made = self.context.store, answer.block

        def note() -> None:
            store.recalls.record_use(made.recalled)
            store.recalls.put(made.id, made.memories)

        await self.context.run("writes", note)
        self.say(f"copied the block, {made.tokens:,} tokens, recorded as recall {made.id}")
