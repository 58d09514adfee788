"""Features of the app on the command line: related memories, tags, wordings, sessions, verbs with JSON output."""

import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from cli.runner import Curator
from curator.paths import store_folder
from curator.recall import Detail, Style
from curator.tui.recall.view import Recall
from effort import exhaustive, thorough
from factories import put
from store import Filter, Store, clock
from store.model import Given, Life
from tui.driver import opened

pytestmark = thorough


@pytest.fixture
def mine(curator: Curator) -> Any:
    opened = Store.open(store_folder())
    yield opened
    opened.close()


def test_what_is_described_is_shown_and_forgotten_when_confirmed(curator: Curator, mine: Any) -> None:
    machine, tea = put(mine, "I bought an espresso machine", "I like tea")
    asked = curator("forget", "--like", "espresso machine")
    assert asked.code == 2 and "espresso machine" in asked.out
    assert mine.get(machine).life is Life.LIVE
    assert curator("forget", "--like", "espresso machine", "--yes").code == 0
    assert (mine.get(machine).life, mine.get(tea).life) == (Life.FORGOTTEN, Life.LIVE)
    assert curator("forget", "--like", "zebra", "--yes").code == 1
    ran = curator("forget", "--like", "tea kettle", "--yes")
    assert ran.code == 1 and "tea" in ran.out and "no memory says all of this" in ran.err


def test_everything_is_forgotten_or_purged_at_once_when_confirmed(curator: Curator, mine: Any) -> None:
    put(mine, "I like tea", "I like rye")
    assert curator("forget", "--all").code == 2
    assert "forgot 2 memories" in curator("forget", "--all", "--yes").out
    assert curator("undo").code == 0 and mine.count(Filter()) == 2
    assert curator("purge", "--all").code == 2
    assert "purged 2 memories" in curator("purge", "--all", "--yes").out
    assert curator("purge", "--all", "--yes").code == 1


def test_tags_are_listed_with_their_counts(curator: Curator, mine: Any) -> None:
    one, two = put(mine, "I like tea", "I like rye")
    assert curator("tags").code == 1
    curator("tag", one, two, "--add", "food")
    curator("tag", one, "--add", "drink")
    assert [(row["tag"], row["memories"]) for row in curator("tags", "--json").rows] == [("food", 2), ("drink", 1)]


def test_memories_and_messages_of_one_conversation_or_project(curator: Curator, mine: Any, tmp_path: Path) -> None:
    put(mine, "I like rye", session="s9")
    log = tmp_path / "chat.json"
    log.write_text(json.dumps({"id": "c-7", "messages": [{"role": "user", "content": "I live in Ghent."}]}))
    curator("import", log)
    (talk,) = mine.raw.get_conversations()
    assert [row["text"] for row in curator("list", "--session", talk.id, "--json").rows] == ["I live in Ghent."]
    assert [row["text"] for row in curator("list", "--session", "s9", "--json").rows] == ["I like rye"]
    assert curator("list", "--session", "nowhere").code == 1
    assert curator("grep", "Ghent").code == 0
    assert curator("grep", "Ghent", "--project", "garden").code == 1


def test_related_memories_are_listed(curator: Curator, mine: Any) -> None:
    curator("add", "I drink green tea in the morning")
    curator("add", "I drink black tea in the morning")
    curator("search", "tea")  # embeds the memories
    (row,) = curator("related", 1, "--json").rows
    assert row["id"] == 2 and row["cosine"] > 0.3


def test_deciding_verbs_print_json(curator: Curator, mine: Any) -> None:
    (one,) = put(mine, "I like tea")
    for words in (["validate"], ["pin"], ["snooze"]):
        assert curator(*words, one, "--json").rows == [{"changed": 1, "memories": [one]}]
    again = curator("pin", one, "--json")
    assert (again.code, again.rows) == (0, [{"changed": 0, "memories": [one]}])


def test_a_proposed_wording_is_taken_or_dropped(curator: Curator, mine: Any) -> None:
    one, two = put(mine, "tea i like", "rye i like")
    with mine.command("distil") as writer:
        mine.wordings.put(writer, one, "extract/1", "I like tea")
        mine.wordings.put(writer, two, "extract/1", "I like rye")
        writer.note()
    assert curator("edit", one, "--proposed").code == 0
    assert mine.get(one).text == "I like tea"
    assert curator("edit", two, "--keep-mine").code == 0
    assert curator("edit", two, "--proposed").code == 1


def test_one_setting_is_printed_explained_and_changed(curator: Curator) -> None:
    assert curator("config", "recall.limit").out == "10\n"
    assert curator("config", "recall.limit", "12").out.startswith("recall.limit = 12 saved in ")
    assert curator("config", "recall.limit=10").code == 0
    (explanation,) = curator("config", "--explain", "recall.limit").out.splitlines()
    assert explanation in curator("config", "--explain").out
    assert curator("config", "recall.limit", "--json").rows == [{"recall.limit": "10"}]
    wrong = curator("config", "recall.limt")
    assert wrong.code == 2 and "did you mean recall.limit?" in wrong.err


def test_merging_undoing_and_erasing_print_json(curator: Curator, mine: Store) -> None:
    one, two, three = put(mine, "I like tea", "I like green tea", "I live in Porto")
    asked = curator("merge", one, two, "--json")
    assert (asked.code, asked.out) == (2, ""), "nobody can be asked"
    (row,) = curator("merge", one, two, "--yes", "--json").rows
    assert sorted(row["memories"]) == [one, two] and row["changed"]
    (undone,) = curator("undo", "--json").rows
    assert undone["verb"] == "merge" and undone["undone"]
    assert curator("redo", "--json").rows[0]["id"] == undone["id"]
    curator("undo")
    assert curator("supersede", two, "--by", one, "--json").rows == [{"changed": 1, "memories": [two]}]
    curator("forget", three, "--yes")
    assert curator("restore", three, "--json").rows == [{"changed": 1, "memories": [three]}]
    (erased,) = curator("purge", three, "--yes", "--json").rows
    assert (erased["memories"], erased["other_writings"], erased["unfinished"]) == ([three], 0, [])


FORMS = [("system", "compact"), ("preamble", "detailed")]


@exhaustive
@pytest.mark.parametrize(
    ("always", "prompt"),
    list(product([False, True], ["what does my sister drink", "tea", "zebra"])),
)
async def test_the_app_shows_the_block_that_recall_prints(
    curator: Curator, mine: Store, always: bool, prompt: str
) -> None:
    put(mine, "My sister drinks tea", "My sister owns a folding bicycle", "[b]Tea[/b] is served at four")
    if always:
        put(mine, "Answer me in fish syntax", given=Given.ALWAYS)
    shown: list[str] = []
    async with opened(mine, first="recall") as app:
        app.app.context.now = clock.now
        await app.write(prompt)
        for style, detail in FORMS:
            assert isinstance(app.view, Recall)
            app.view.question = replace(app.view.question, form=(Style(style), Detail(detail)))
            app.view.ask()
            await app.rest()
            shown.append(str(app.view.query_one("#block", Static).content))
    for text, (style, detail) in zip(shown, FORMS, strict=True):
        printed = curator("recall", prompt, "--style", style, "--detail", detail).out.rstrip("\n")
        assert _without_id(text) == _without_id(printed or "Empty: a model would get no memories.")
        assert bool(printed) == (always or prompt != "zebra")


def _without_id(block: str) -> str:
    return re.sub(r'id="r\w+"', "", block)
