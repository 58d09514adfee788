"""Keymaps: the presets, the person's own keys, and errors in them with file and line."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.binding import Binding
from textual.events import Key
from textual.screen import Screen

from curator.errors import ConfigError
from curator.tui.actions import SCOPES, Action, Group
from curator.tui.keymap import FORMER, KeymapError, Map, as_textual, canonical, keymap, line_of
from curator.ui_defaults import Looks
from effort import thorough
from factories import put
from store import Store
from store.model import Review
from tui.driver import opened


def action(id: str, keys: str, plain: str = "") -> Action:
    name = id.replace("-", " ")
    return Action(id, tuple(keys.split()), name, name, Group.APP, plain=tuple(plain.split()))


DOWN, UP = action("down", "j down", "down"), action("up", "k up", "up")
REJECT, VALIDATE = action("reject", "x", "f6"), action("validate", "a", "f5")
PALETTE, THEME = action("palette", ": ctrl+p", "f9"), action("theme", "")
SMALL = {
    "the list": (DOWN, UP, REJECT, VALIDATE, PALETTE, THEME),
    "a question": (action("yes", "y enter", "enter"), action("no", "n escape", "escape")),
}


def keys_from(tmp_path: Path, text: str, preset: str = "vim") -> Map:
    """Return the keymap that a settings file makes of the small registry."""
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")
    return keymap(SMALL, preset, tomllib.loads(text)["keys"], file)


def test_a_preset_gives_every_action_its_keys() -> None:
    vim, plain = keymap(SMALL, "vim", {}, None), keymap(SMALL, "plain", {}, None)
    assert (vim["down"], vim["theme"], vim["no"]) == (("j", "down"), (), ("n", "escape"))
    assert (plain["down"], plain["reject"], plain["no"]) == (("down",), ("f6",), ("escape",))
    assert vim.keys() == plain.keys() == {action.id for group in SMALL.values() for action in group}


def test_a_persons_own_keys_take_the_place_of_the_presets(tmp_path: Path) -> None:
    keys = keys_from(tmp_path, '[keys]\ndown = "shift+n"\nup = ["e", "Slash", "e"]\nreject = ""\nvalidate = []\n')
    assert (keys["down"], keys["up"], keys["reject"], keys["validate"]) == (("N",), ("e", "/"), (), ())
    assert keys["palette"] == (":", "ctrl+p")


def test_what_is_taken_from_another_is_free_once_that_one_has_its_own(tmp_path: Path) -> None:
    assert keys_from(tmp_path, '[keys]\ndown = "x"\nreject = "j"\n')["down"] == ("x",)
    assert keys_from(tmp_path, '[keys]\ndown = "x"\nreject = ""\n')["reject"] == ()


def test_a_key_may_mean_one_thing_here_and_another_there(tmp_path: Path) -> None:
    assert keys_from(tmp_path, '[keys]\nreject = "n"\n')["reject"] == keys_from(tmp_path, "[keys]\n")["no"][:1]


REFUSED = [
    ('[keys]\ndwon = "n"', 2, ["unknown action 'dwon'", "did you mean down?"]),
    ('[keys]\n"[red]boo" = "n"', 2, ["unknown action '[red]boo'", "the palette shows their names"]),
    ('# mine\n\n[keys]\n# down\n"down" = "pagdown"', 5, ["down: unknown key 'pagdown'", "mean pagedown?"]),
    ('[keys]\ndown = "\\u200b"', 2, ["unknown key '\\u200b'", "write a character, or a name like space"]),
    ('[keys]\ndown = [\n  "n",\n  "f25",\n]', 2, ["unknown key 'f25'"]),
    ('[keys]\ndown = "super+n"', 2, ["unknown key 'super+n'"]),
    ('[keys]\ndown = "ctrl+"', 2, ["unknown key 'ctrl+'"]),
    ('[keys]\ndown = "ctrl+i"', 2, ["cannot tell ctrl+i from tab", "choose another"]),
    ('[keys]\ndown = "ctrl+M"', 2, ["cannot tell ctrl+m from enter"]),
    ('[keys]\ndown = "ctrl+h"', 2, ["cannot tell ctrl+h from backspace"]),
    ('[keys]\ndown = "ctrl+["', 2, ["cannot tell ctrl+[ from escape"]),
    ('[keys]\ndown = "ctrl+left_square_bracket"', 2, ["cannot tell ctrl+[ from escape"]),
    ('[keys]\ndown = "ctrl+z"', 2, ["ctrl+z sends a program to the background"]),
    ('[keys]\ndown = "shift+1"', 2, ["shift+1 depends on the keyboard"]),
    ('[keys]\ndown = "ctrl+shift+n"', 2, ["most terminals do not send ctrl+shift+n"]),
    ('[keys]\ndown = "ctrl+enter"', 2, ["most terminals do not send ctrl+enter"]),
    ('[keys]\ndown = "ctrl+space"', 2, ["most terminals do not send ctrl+space"]),
    ('[keys]\ndown = "alt+/"', 2, ["most terminals do not send alt+/"]),
    ('[keys]\ndown = "alt+1"', 2, ["most terminals do not send alt+1"]),
    ('[keys]\ndown = "alt+f"', 2, ["cannot tell alt+f from ctrl+right"]),
    ('[keys]\ndown = "alt+N"', 2, ["most terminals do not send alt+N"]),
    ('[keys]\ndown = "x"', 2, ["down and reject both have the key x in the list", "give reject another in [keys] too"]),
    ('[look]\nmouse = false\n[keys]\ntheme = "colon"', 4, ["theme and palette both have the key : in the list"]),
    (
        '[keys]\ndown = "n"\nup = "n"',
        3,
        ["up and down both have the key n", "config.toml, line 2)", "give one of them"],
    ),
    ('keys = { up = "esc", down = "esc" }', 1, ["up and down both have the key escape"]),
    ('keys.up = "p"\nkeys.down = "p"', 1, ["up and down both have the key p", "line 2)"]),
    ('[keys]\npalette = ""', 2, ["palette needs a key, because actions without a key are found there"]),
]


@pytest.mark.parametrize(("text", "line", "said"), REFUSED, ids=[text.split("\n")[-1] for text, _, _ in REFUSED])
def test_what_is_wrong_is_told_with_file_line_and_remedy(tmp_path: Path, text: str, line: int, said: list[str]) -> None:
    with pytest.raises(KeymapError) as caught:
        keys_from(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'config.toml'}, line {line}: ")
    assert [part for part in said if part not in str(caught.value)] == []
    assert isinstance(caught.value, ConfigError)


def test_a_key_from_nowhere_known_is_told_by_its_table(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[keys]\n")
    for file in (None, tmp_path / "config.toml", tmp_path / "not-there.toml"):
        with pytest.raises(KeymapError, match=r"^\[keys\]: unknown action 'dwon'"):
            keymap(SMALL, "vim", {"dwon": "n"}, file)


@pytest.mark.parametrize(
    ("variable", "value", "wrong", "said"),
    [
        ("CURATOR_KEYS__DOWN", "bogus", {"down": "bogus"}, "down: unknown key 'bogus'"),
        ("curator_keys__dwon", "n", {"dwon": "n"}, "unknown action 'dwon'"),
        ("CURATOR_KEYS", '{"palette": ""}', {"palette": ""}, "palette needs a key"),
        ("CURATOR_KEYS__DOWN", "x", {"down": "x"}, "down and reject both have the key x"),
    ],
)
def test_a_variable_is_blamed_and_not_the_line_that_it_comes_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, wrong: dict[str, str], said: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[keys]\ndown = "n"\ndwon = "n"\npalette = "p"\n')
    monkeypatch.setenv(variable, value)
    with pytest.raises(KeymapError) as caught:
        keymap(SMALL, "vim", {"up": "e", **wrong}, file)
    assert str(caught.value).startswith(f"the variable {variable}: {said}")
    with pytest.raises(KeymapError, match=f"^{re.escape(str(file))}, line 2: down"):
        monkeypatch.delenv(variable)
        monkeypatch.setenv("CURATOR_KEYS__UP", "e")
        keymap(SMALL, "vim", {"up": "e", "down": "bogus"}, file)


NEEDED = ("palette", "back", "quit", "cancel", "no", "close", "close-help", "take", "yes", "keep")


@pytest.mark.parametrize("preset", ["vim", "plain"])
@pytest.mark.parametrize("name", NEEDED)
@pytest.mark.parametrize("none", ["", []], ids=["nothing", "an empty list"])
def test_what_leads_on_or_out_cannot_lose_its_key(preset: str, name: str, none: str | list[str]) -> None:
    with pytest.raises(KeymapError, match=rf"^\[keys\]: {name} needs a key, because .+; give it one"):
        keymap(SCOPES, preset, {name: none}, None)
    assert keymap(SCOPES, preset, {name: "f20"}, None)[name] == ("f20",)


@pytest.mark.parametrize("name", ["cancel", "keep"])
@pytest.mark.parametrize("key", ["x", "é", "/", "comma", "shift+x", "space", " ", "backspace", "delete"])
def test_a_field_keeps_the_keys_that_write(name: str, key: str) -> None:
    for given in (key, ["f4", key]):
        with pytest.raises(KeymapError, match=rf"{name} works in a field, where .+ types text; choose another key"):
            keymap(SCOPES, "vim", {name: given}, None)
    assert keymap(SCOPES, "vim", {name: ["ctrl+s", "f4"]}, None)[name] == ("ctrl+s", "f4")
    if len(key) == 1 and key.isalpha():
        assert keymap(SCOPES, "vim", {"close": key}, None)["close"] == (key,), "a page of text has no field"


def test_a_clash_with_the_preset_depends_on_the_preset(tmp_path: Path) -> None:
    assert keys_from(tmp_path, '[keys]\ndown = "x"', "plain")["down"] == ("x",)
    with pytest.raises(KeymapError, match="down and reject both have the key f6"):
        keys_from(tmp_path, '[keys]\ndown = "f6"', "plain")


def test_two_names_of_one_key_clash(tmp_path: Path) -> None:
    with pytest.raises(KeymapError, match="both have the key /"):
        keys_from(tmp_path, '[keys]\ndown = "/"\nup = "slash"')


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[keys]\ndown = 'n'", 2),
        ("# down = 'n'\n[look]\ndown = 'n'\n\n[keys] # down\n\n  # down\n  down = 'n'", 8),
        ("[keys]\nup = '''\ndown = 1\n'''\n'down' = [\n 'n',\n]\n", 5),
        ('keys = { up = "p", "down" = "n" }', 1),
        ('[look]\ntheme = "x"\n[keys]\n"do\\u0077n" = "n"', 4),
        ("keys.up = 'p'\nkeys.down = 'n'", 2),
        ("[keys]\r\nup = 'p'\r\ndown = 'n'\r\n", 3),
        ("[keys]\nup = 'p'", None),
        ("keys = 3", None),
        ("[keys\ndown = 'n'", None),
        ("", None),
    ],
)
def test_the_line_of_a_key_is_found_however_it_is_written(text: str, line: int | None) -> None:
    assert line_of(text, "keys", "down") == line


# The registry


@pytest.mark.parametrize("preset", ["vim", "plain"])
def test_in_both_presets_a_key_means_one_thing(preset: str) -> None:
    keys = keymap(SCOPES, preset, {}, None)
    assert keys.keys() == {action.id for group in SCOPES.values() for action in group}
    assert all(canonical(key) == key for pressed in keys.values() for key in pressed)


def test_an_action_has_the_same_keys_wherever_it_stands() -> None:
    different: dict[str, set[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for group in SCOPES.values():
        for action in group:
            different.setdefault(action.id, set()).add((action.keys, action.plain))
    assert [name for name, keys in different.items() if len(keys) > 1] == []


def test_plain_needs_no_letter_and_reaches_what_vim_does() -> None:
    vim, plain = keymap(SCOPES, "vim", {}, None), keymap(SCOPES, "plain", {}, None)
    assert [key for keys in plain.values() for key in keys if key.isalpha() and len(key) == 1] == []
    by_pages = {"half-down", "half-up"}
    assert {name for name, keys in vim.items() if keys and not plain[name]} <= by_pages


# Bytes that terminals send, as Textual parses them

SENT = {
    "a": "a", "U": "U", "*": "*", "#": "#", "+": "+", ",": ",", ".": ".", ":": ":", "?": "?", "/": "/", "[": "[",
    "]": "]", "'": "'", "-": "-", "_": "_", "@": "@", "\\": "\\", "~": "~", "|": "|", "^": "^", "`": "`", "é": "é",
    "ж": "ж", "1": "1", "space": " ", "enter": "\r", "tab": "\t", "escape": "\x1b", "backspace": "\x7f",
    "ctrl+r": "\x12", "ctrl+j": "\n", "ctrl+backslash": "\x1c", "ctrl+right_square_bracket": "\x1d",
    "ctrl+circumflex_accent": "\x1e", "ctrl+underscore": "\x1f", "alt+x": "\x1bx",
    "down": "\x1b[B", "shift+down": "\x1b[1;2B", "ctrl+down": "\x1b[1;5B", "alt+up": "\x1b[1;3A",
    "ctrl+shift+up": "\x1b[1;6A", "alt+ctrl+up": "\x1b[1;7A", "pagedown": "\x1b[6~", "shift+pageup": "\x1b[5;2~",
    "home": "\x1b[H", "end": "\x1b[F", "insert": "\x1b[2~", "delete": "\x1b[3~", "shift+delete": "\x1b[3;2~",
    "shift+tab": "\x1b[Z", "f1": "\x1bOP", "f5": "\x1b[15~", "f12": "\x1b[24~", "shift+f1": "\x1b[1;2P",
    "shift+f5": "\x1b[15;2~", "ctrl+f5": "\x1b[15;5~",
}  # fmt: skip


def received(bytes_sent: str) -> list[str]:
    parser = XTermParser()
    events = [*parser.feed(bytes_sent), *parser.feed("")]  # the empty feed says that no more bytes follow
    return [event.key for event in events if isinstance(event, Key)]


@pytest.mark.parametrize("key", SENT)
def test_a_key_is_called_as_textual_calls_what_the_terminal_sends(key: str) -> None:
    assert canonical(key) == key
    (name,) = Binding.make_bindings([Binding(as_textual({"it": (key,)})["it"], "it")])
    assert received(SENT[key]) == [name.key]


class Bare(Screen[None], inherit_bindings=False):
    """A screen without key bindings: Textual's own binds tab."""


class Press(App[None]):
    """An app that records which of its actions were called."""

    def __init__(self, actions: Iterable[Action], keys: Map) -> None:
        super().__init__()
        self.done: list[str] = []
        for action in actions:
            default = ",".join("comma" if key == "," else key for key in action.keys)
            self._bindings.key_to_bindings |= {
                binding.key: [binding]
                for binding in Binding.make_bindings([Binding(default, f"note('{action.id}')", id=action.id)])
            }
        self.set_keymap(as_textual(keys))

    def get_default_screen(self) -> Screen[None]:
        return Bare()

    def action_note(self, id: str) -> None:
        self.done.append(id)


@thorough
async def test_every_key_reaches_its_action_in_the_app() -> None:
    actions = [action(f"act-{number}", f"former-{number}") for number in range(len(SENT))]
    keys: Map = {one.id: (key,) for one, key in zip(actions, SENT, strict=True)}
    app = Press(actions, keys)
    async with app.run_test() as pilot:
        for key in SENT:
            for name in received(SENT[key]):
                await pilot.press(name)
    assert app.done == list(keys)


async def test_in_the_app_swapped_keys_are_swapped_and_lost_ones_do_nothing(tmp_path: Path) -> None:
    keys = keys_from(tmp_path, '[keys]\ndown = ["up", "k"]\nup = ["down", "j"]\nreject = ""\nvalidate = ","\n')
    app = Press(SMALL["the list"][:5], keys)
    async with app.run_test() as pilot:
        await pilot.press("j", "k", "up", "down", "x", "a", "comma", "colon", "ctrl+p")
    assert app.done == ["up", "down", "down", "up", "validate", "palette", "palette"]


@thorough
@pytest.mark.parametrize(
    ("looks", "lost", "works"),
    [
        (Looks(keys={"reject": "", "validate": ","}), "x", "comma"),
        (Looks(keys={"reject": "a", "validate": ["x", "!"], "details": []}), "a", "x"),
        (Looks(keymap="plain"), "a", "f5"),
        (Looks(keymap="plain", keys={"validate": "a"}), "f5", "a"),
    ],
    ids=["a key of none", "swapped", "plain", "plain with one letter"],
)
async def test_curator_takes_the_keys_that_are_set(store: Store, looks: Looks, lost: str, works: str) -> None:
    (memory,) = put(store, "one")
    async with opened(store, looks=looks) as app:
        await app.press(lost)
        assert store.get(memory).review is not Review.VALIDATED
        if looks.keys.get("reject") == "a":
            await app.press("u")
        await app.press(works)
        assert store.get(memory).review is Review.VALIDATED


def test_former_ids_of_actions_work(tmp_path: Path) -> None:
    ids = {action.id for actions in SCOPES.values() for action in actions}
    assert set(FORMER.values()) <= ids and not ids & FORMER.keys()
    file = tmp_path / "config.toml"
    file.write_text('[keys]\ntake-in = "i"\n')
    assert keymap(SCOPES, "vim", {"take-in": "i"}, file)["admit"] == ("i",)
    file.write_text('[keys]\ntake-in = "up then down"\n')
    with pytest.raises(KeymapError, match=r"config\.toml, line 2: take-in: "):
        keymap(SCOPES, "vim", {"take-in": "up then down"}, file)


@pytest.mark.parametrize("given", [{"top": "9", "first": "0"}, {"first": "0", "top": "9"}])
def test_the_present_id_of_an_action_takes_precedence(given: dict[str, str]) -> None:
    assert keymap(SCOPES, "vim", given, None)["top"] == ("9",)


def test_filters_of_different_views_have_keys_of_their_own() -> None:
    keys = keymap(SCOPES, "vim", {"narrow": "t", "only-some": "T", "in-memories": "ctrl+o"}, None)
    assert (keys["narrow"], keys["only-some"], keys["filter"]) == (("t",), ("T",), ("f",))
    assert keys["in-memories"] == ("ctrl+o",) and keys["open"] == ("enter",)
