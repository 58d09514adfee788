"""Base class of views that run verbs on memories, with confirmation if needed."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from textual.app import App
from textual.content import Content

from curator.display import counted
from curator.tui import verbs
from curator.tui.keymap import first_key
from curator.tui.list_view import MarkableListView
from curator.tui.memories import verb_dialogs
from curator.tui.memories.verb_dialogs import NotApplicable, VerbRequest
from curator.tui.messages import StatusMessage, Tone
from curator.tui.verbs import Done, Verb
from curator.tui.view import Write
from store import StoreError
from store.model import Life, Memory, Review


def waiting(left: int) -> str:
    """Return in words how many conversations a stopped import has left."""
    return f"{counted(left, 'conversation')} {'waits' if left == 1 else 'wait'} to be distilled"


def key_of_distil(app: App[Any]) -> str:
    """Return the key that continues a stopped import, or what to type in the palette."""
    return first_key(app, "distil") or f"{first_key(app, 'palette')} distil"


class VerbView(MarkableListView):
    """View with a list of memories; subclasses show the effect of a verb, and read changed memories."""

    before: int | None = None  # the row under the cursor when the last verb began

    def first_steps(self) -> Content:
        """Return the text for a store without memories: the next step of a stopped import, or the first step."""
        if left := self.context.undistilled:
            return Content.assemble(
                (f"{waiting(left)}. ", "bold $text"), (f"{key_of_distil(self.app)} continues the import", "$muted")
            )
        key = first_key(self.app, "import")
        press = f"Press {key}" if key else "Use `import` in the palette"
        return Content.assemble(
            ("No memories yet. ", "bold $text"),
            (f"{press} to import a chat log · `curator demo` shows an example", "$muted"),
        )

    def undistilled_counted(self) -> None:
        """Show the next step in a store without memories."""
        self.update_bars()

    def loaded_row(self, memory_id: int) -> Memory | None:
        """Return a listed memory if it is already read."""
        raise NotImplementedError

    def verb_done(self, verb: Verb, memories: list[int], done: Done, message: StatusMessage) -> None:
        """Update the list after a verb; may change the message before it is shown."""
        raise NotImplementedError

    def verb_failed(self, memories: list[int]) -> None:
        """Restore the list after a failed verb."""

    def with_groups(self, verb: Verb, memories: list[int]) -> tuple[Verb, list[int]]:
        """Return the verb and its memories, including those grouped under them."""
        return verb, memories

    def concerned(self, verb: str = "") -> list[int]:
        """Return the memories a verb applies to: the marked, else the one under the cursor."""
        raise NotImplementedError

    def action_decide(self, name: str) -> None:
        """Run the verb named in its action."""
        memories, current = self.concerned(name), self.list.current
        if not memories or current is None:
            return
        if name in verb_dialogs.DIALOGS:
            request = VerbRequest(self.app, self.context, memories, current, self._perform)
            self.begin_dialog(partial(self.run_dialog, partial(verb_dialogs.DIALOGS[name], request)))
        else:
            self.request_verb(verbs.VERBS_WITHOUT_DIALOG[name], memories)

    def action_repeat(self) -> None:
        """Repeat the last verb."""
        if (memories := self.concerned()) and self.context.last_verb is not None:
            self.request_verb(self.context.last_verb, memories)

    async def run_dialog(self, dialog: Callable[[], Awaitable[None]]) -> None:
        """Run a dialog; show its error on the status bar."""
        try:
            await dialog()
        except NotApplicable as error:
            self.say_of_marks(str(error))
        except (StoreError, ValueError) as error:
            self.say(str(error), Tone.BAD)

    def request_verb(self, verb: Verb, memories: list[int]) -> None:
        """Start a verb; confirm first if it concerns many memories or validates quarantined ones."""
        verb, memories = self.with_groups(verb, memories)
        rows = map(self.loaded_row, memories)
        if verb.review is Review.VALIDATED and any(memory is None or memory.suspect for memory in rows):
            self.begin_dialog(partial(self.run_dialog, partial(self._confirm_quarantined, verb, memories)))
        else:
            self._start_if_sure(verb, memories)

    async def _confirm_quarantined(self, verb: Verb, memories: list[int]) -> None:
        question = await verb_dialogs.quarantine_question(self.context, memories)
        if question is None:
            self._start_if_sure(verb, memories)
        elif await self.app.push_screen_wait(question):
            self.start(verb, memories)

    def _start_if_sure(self, verb: Verb, memories: list[int]) -> None:
        if len(memories) > verbs.ASKS_ABOVE:
            self.ask_first(f"{verb.name.capitalize()} {counted(len(memories))}?", partial(self.start, verb, memories))
        else:
            self.start(verb, memories)

    def start(self, verb: Verb, memories: list[int]) -> None:
        """Start a verb."""
        self.write(self.prepare(verb, memories))

    async def _perform(self, verb: Verb, memories: list[int]) -> str | None:
        """Run a verb for a dialog; return the problem that prevented it, or None."""
        if verb.life is Life.PURGED:
            self.say("purging: rewriting the files …")
        return await self.perform(self.prepare(verb, memories))

    def prepare(self, verb: Verb, memories: list[int]) -> Write[tuple[Done, str]]:
        """Prepare the write of a verb, remember it for `.`, and unmark its memories."""
        if verb.repeats:
            self.context.last_verb = verb.again or verb
        self.before = self.list.current
        marked = frozenset(self.list.marks.intersection(memories))
        self.list.unmark(memories)
        only = self.loaded_row(memories[0]) if len(memories) == 1 else None

        def run() -> tuple[Done, str]:
            done = verbs.run_verb(self.context.store, verb, memories)
            text = verbs.result_text(verb, done, only)
            self.context.undo_state.describe_last(text)  # must precede an undo that waits for this thread
            return done, text

        def finish(result: tuple[Done, str]) -> StatusMessage:
            done, text = result
            message = StatusMessage(text, Tone.GOOD, undo=done.changed > 0 and verb.undoable)
            self.verb_done(verb, memories, done, message)
            return message

        def rollback() -> None:
            if marked:
                self.list.mark(self.list.marks | marked)
            self.verb_failed(memories)

        return Write(run, finish, rollback)
