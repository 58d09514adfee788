"""Dialogs: confirmation, menu, input line, page of text."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click, Key, Paste, Resize
from textual.screen import ModalScreen, ScreenResultType
from textual.timer import Timer
from textual.widgets import Input, Label, Static
from textual.worker import Worker

from curator.terminal_text import visible
from curator.tui.actions import CHOICE, CONFIRM, DIALOG, PAGE, bindings
from curator.tui.dispatch import ModalDialog
from curator.tui.keymap import key_names, keys_of
from curator.tui.labels import hung
from curator.tui.text_format import fit, one_line
from curator.tui.widgets.inputs import Signs

_PAUSE = 0.1  # seconds without a key that end a typed answer
_MAX_TITLE = 60  # cells of an option's title
_UNBOUND = 10_000  # cells of a line whose dialog has no size yet
_MIN_HELP = 24  # cells for an option's help beside its title; below it otherwise
_CHOOSING = "press a key, or ↑ ↓ and enter · esc cancels"


class Dialog(ModalDialog, ModalScreen[ScreenResultType]):
    """A dialog over the main screen that is answered exactly once, however fast keys are pressed.

    Textual's `dismiss` removes the top screen, even if that is another one.
    """

    _answer: tuple[ScreenResultType | None] | None = None  # given while another dialog was on top

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close, unless already closed; below another dialog, close after that."""
        if self.is_active:
            return super().dismiss(result)
        if self in self.app.screen_stack:
            self._answer = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """Close now if the answer was given while another dialog was on top."""
        if self._answer is not None:
            self.dismiss(*self._answer)

    def action_leave(self) -> None:
        """Cancel."""
        self.dismiss(None)

    def action_scroll(self, lines: int) -> None:
        """Scroll the text, for dialogs that have one."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


class Confirm(Dialog[bool]):
    """A yes-or-no question; its text has the number of affected things."""

    BINDINGS = bindings(CONFIRM)

    def __init__(self, question: str, consequence: str) -> None:
        super().__init__(classes="asking")
        self._question, self._consequence = question, consequence

    def compose(self) -> ComposeResult:
        """Lay out the question, the consequence of yes, and the keys."""
        keys = [
            Content.assemble((key_names(keys_of(self.app, action)[:1]), "bold $accent"), (f" {action.label}", "$muted"))
            for action in CONFIRM
        ]
        question = Label(Content.styled(visible(self._question), "bold"))
        consequence = Label(Content.styled(visible(self._consequence), "$muted"))
        return (Vertical(question, consequence, Label(Content("   ").join(keys))),)

    def action_yes(self) -> None:
        """Answer yes."""
        self.dismiss(True)

    def action_leave(self) -> None:
        """Answer no, which is not the same as cancelling."""
        self.dismiss(False)


@dataclass(frozen=True, slots=True)
class Option:
    """A line of a menu: key, value, meaning, and a name if that is not the value."""

    key: str
    value: str
    help: str = ""
    name: str = ""

    @property
    def title(self) -> str:
        """The name, else the value, on one line."""
        return one_line(self.name or self.value)


class Menu(Dialog[str | None]):
    """A choice by key, or by arrows and enter. `moved` is called with the value under the cursor.

    The options scroll if they do not fit; `offered` are the values that have been in view. Pasted text, and typed text
    that starts with a character in `begins`, is an answer too.
    """

    BINDINGS = bindings(CHOICE)

    def __init__(
        self,
        title: str,
        options: Sequence[Option],
        current: str | None = None,
        moved: Callable[[str], None] | None = None,
        begins: str = "",
    ) -> None:
        super().__init__(classes="asking")
        self._title, self._options, self._moved = one_line(title), options, moved
        self._begins, self._typed = begins, ""
        self._typing: Timer | None = None
        self.offered: set[str] = set()
        values = [option.value for option in options]
        self._index = values.index(current) if current in values else 0
        self._wide = min(max(cell_len(option.title) for option in options) + 2, _MAX_TITLE)
        self._width = _UNBOUND
        self._lines = [Label(self._line(index)) for index in range(len(options))]
        self._view = VerticalScroll(*self._lines, can_focus=False, id="options")

    def compose(self) -> ComposeResult:
        """Lay out the options with their keys."""
        title, keys = Label(Content.styled(self._title, "bold")), Label(Content.styled(_CHOOSING, "$muted"))
        return (Vertical(title, self._view, keys),)

    def on_mount(self) -> None:
        """Track the options that come into view."""
        self.watch(self._view, "scroll_y", self._note_offered, init=False)

    def on_resize(self, event: Resize) -> None:
        """Fit the options to the screen, with the highlighted one in view."""
        width = max(event.size.width * 9 // 10 - 6, 1)
        others = sum(-(-cell_len(words) // width) for words in (self._title, _CHOOSING))
        self._view.styles.max_height = max(event.size.height * 9 // 10 - 2 - others, 1)
        self._width = width - 1  # without the scroll bar
        for index, line in enumerate(self._lines):
            line.update(self._line(index))
        self.call_after_refresh(self._show_index)

    def _show_index(self) -> None:
        self._view.scroll_to_widget(self._lines[self._index], animate=False, immediate=True)
        self._note_offered()

    def _note_offered(self) -> None:
        view = self._view
        for option, line in zip(self._options, self._lines, strict=True):
            region = line.virtual_region
            if region.height and view.scroll_y <= region.y and region.bottom <= view.scroll_y + view.size.height:
                self.offered.add(option.value)

    def on_key(self, event: Key) -> None:
        """Choose the option with this key, or collect the key as text."""
        if event.is_printable and event.character and (self._typed or event.character in self._begins):
            event.stop()
            self._type(event.character)
            return
        for option in self._options:
            if event.character == option.key:
                event.stop()
                self.dismiss(option.value)

    def on_paste(self, event: Paste) -> None:
        """Answer with a pasted text."""
        if self._begins and event.text.strip():
            event.stop()
            self._type(event.text.strip())

    def _type(self, text: str) -> None:
        """Collect text until typing pauses: keys typed while the next dialog opens would be lost."""
        self._typed += text
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(_PAUSE, self.answer_typed)

    def answer_typed(self) -> None:
        """Answer with the typed or pasted text."""
        self.dismiss(self._typed)

    def on_click(self, event: Click) -> None:
        """Choose the option under the mouse."""
        for option, line in zip(self._options, self._lines, strict=True):
            if event.widget is line:
                self.dismiss(option.value)

    def action_step(self, lines: int) -> None:
        """Move the highlight by `lines`, wrapping around."""
        former, self._index = self._index, (self._index + lines) % len(self._options)
        if self._moved is not None:
            self._moved(self._options[self._index].value)  # first, since it may change the theme
        for index in (former, self._index):
            self._lines[index].update(self._line(index))
        self._show_index()

    def action_take(self) -> None:
        """Answer with the typed text, else choose the highlighted option."""
        self.dismiss(self._typed or self._options[self._index].value)

    def _line(self, index: int) -> Content:
        option = self._options[index]
        title = Content.assemble((f" {option.key}  ", "bold $accent"), fit(option.title, self._wide))
        about = Content.styled(f"{one_line(option.help)} ", "$muted")
        if self._width - title.cell_length < min(_MIN_HELP, about.cell_length):
            line = Content("\n").join([title, *hung(Content("    "), about, self._width)])
        else:
            line = Content("\n").join(hung(title, about, self._width))
        if index != self._index:
            return line
        if self.app.current_theme.ansi:  # background and cursor row may have the same colour
            return Content.styled(line.plain, "bold reverse $text")
        return line.stylize("on $cursor")


class Ask(Dialog[str | None]):
    """An input line. `check` returns the problem with the text, or None; typing replaces a `marked` value.

    On tab, `complete` returns the completed text, or None without a completion: then tab goes to the next field.
    `reading` is the text shown during a check that may take long and only reads: esc then cancels.
    """

    BINDINGS = bindings(DIALOG)

    def __init__(
        self,
        question: str,
        hint: str,
        value: str = "",
        check: Callable[[str], Awaitable[str | None]] | None = None,
        *,
        marked: bool = False,
        complete: Callable[[str], Awaitable[str | None]] | None = None,
        reading: str = "",
    ) -> None:
        super().__init__(classes="asking")
        self._question, self._hint, self._value, self._check = question, hint, value, check
        self._marked, self._complete, self._reading = marked, complete, reading
        self._checking: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        """Lay out the question, the field, and the hint."""
        field = Input(self._value, highlighter=Signs(), select_on_focus=self._marked)
        field.cursor_blink = False
        question = Label(Content.styled(visible(self._question), "bold"))
        return (Vertical(question, field, Label(Content.styled(visible(self._hint), "$muted"), id="hint")),)

    def on_key(self, event: Key) -> None:
        """Complete the text on tab."""
        if event.key == "tab" and self._complete is not None:
            event.stop()
            field = self.query_one(Input)
            typed, complete = field.value, self._complete

            async def extend() -> None:
                more = await complete(typed)
                if more is None:
                    self.focus_next()
                elif field.value == typed:
                    field.value, field.cursor_position = more, len(more)

            _: Worker[None] = self.run_worker(extend, group="complete", exclusive=True, exit_on_error=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Accept the text, unless it was and is empty; a rejected text stays, with the reason."""
        if self._checking is None:
            if self._reading:
                self._show_hint(self._reading, "$muted")
            self._checking = self.app.run_worker(
                partial(self._take, event.value.strip()), group="take", exit_on_error=False
            )

    def _show_hint(self, text: str, look: str) -> None:
        self.query_one("#hint", Label).update(Content.styled(one_line(text), look))

    async def _take(self, text: str) -> None:
        try:
            problem = await self._check(text) if (text or self._value) and self._check is not None else None
        finally:
            self._checking = None
        if problem is not None:
            self._show_hint(problem, "$bad")
        else:
            self.dismiss(text if text or self._value else None)

    def action_leave(self) -> None:
        """Cancel, unless an answer is being checked (a check that only reads can be cancelled)."""
        if self._checking is not None and self._reading:
            self._checking.cancel()
            self._checking = None
        if self._checking is None:
            super().action_leave()


class Page(Dialog[None]):
    """A page of plain text to read and copy."""

    BINDINGS = bindings(PAGE)
    AUTO_FOCUS = ""

    def __init__(self, text: str, title: str = "What went wrong") -> None:
        super().__init__(classes="asking")
        self._text, self._title = visible(text), visible(title)

    def compose(self) -> ComposeResult:
        """Lay out the title with the keys, and the text."""
        title = Label(Content.assemble((self._title, "bold"), ("   y copies · esc closes", "$muted")))
        return (Vertical(title, VerticalScroll(Static(Content(self._text)), can_focus=False), classes="page"),)

    def action_copy(self) -> None:
        """Copy the text."""
        self.app.copy_to_clipboard(self._text)
        self.query_one(Label).update(Content.assemble((self._title, "bold"), ("   copied · esc closes", "$muted")))
