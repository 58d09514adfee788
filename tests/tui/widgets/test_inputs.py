"""Fields for text: deleting up to a line break, whatever the width in which it is wrapped."""

import pytest
from textual.app import App, ComposeResult

from curator.tui.widgets.inputs import Words

TEXT = "one two three four five six seven eight\nnine"


class Field(App[None]):
    def compose(self) -> ComposeResult:
        yield Words(TEXT, soft_wrap=True)


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        (("ctrl+u",), "eight\nnine"),
        (("ctrl+k",), "one two three four five six seven \nnine"),
        (("ctrl+u", "ctrl+k"), "\nnine"),
        (("ctrl+u", "ctrl+z"), TEXT),
    ],
)
async def test_a_wrapped_line_is_deleted_as_a_whole(keys: tuple[str, ...], left: str) -> None:
    app = Field()
    async with app.run_test(size=(20, 10)) as pilot:
        field = app.query_one(Words)
        field.focus()
        field.move_cursor((0, len("one two three four five six seven ")))
        await pilot.press(*keys)
        assert field.text == left
