"""A resolved conflict stays resolved through imports, scans and rebuilds; only changed texts open it again."""

import json
from pathlib import Path

from cli.runner import Curator
from effort import thorough

OLD = (
    "I live in Lisbon near the river.",
    "I speak Portuguese with my children.",
    "My deadline for the thesis is 3 May 2026.",
    "I work at Siemens as an engineer.",
    "I prefer tea to coffee.",
)
NEW = (
    "I live in Porto now, near the bridge.",
    "I do not speak Portuguese with my children.",
    "My deadline for the thesis is 5 June 2026.",
    "I work at Bosch as an engineer.",
    "I prefer coffee to tea.",
)
WAYS = (["--keep", "B"], ["--keep", "both"], ["--merge", "The thesis is due on 5 June 2026"], ["--keep", "none"])


def log(file: Path, *said: str) -> Path:
    turns = [
        turn for text in said for turn in ({"role": "user", "content": text}, {"role": "assistant", "content": "Ok."})
    ]
    file.write_text(json.dumps({"messages": turns}), "utf-8")
    return file


@thorough
def test_what_is_settled_does_not_come_back(curator: Curator, tmp_path: Path) -> None:
    old, new = log(tmp_path / "old.json", *OLD), log(tmp_path / "new.json", *NEW)
    assert "to resolve · `curator conflicts`" in curator("import", old, new).out
    assert curator("duplicates", "scan").code == 0
    found = curator("conflicts", "--json").rows
    assert len(found) == len(OLD), [row["a"]["text"] for row in found]
    of = {OLD.index(next(text for text in OLD if text[:-1] in row["a"]["text"])): row["id"] for row in found}
    for place, way in enumerate(WAYS):
        assert curator("conflicts", "resolve", of[place], *way).code == 0
    left = of[len(WAYS)]
    log(new, *NEW, "I keep bees on the roof.")
    for words in (
        ("import", old, new),
        ("import", log(tmp_path / "again.json", *OLD, *NEW)),
        ("duplicates", "scan", "--again"),
        ("doctor", "--rebuild"),
        ("duplicates", "scan", "--again"),
        ("work", "--once"),
    ):
        assert curator(*words).code in (0, 1), words
        assert [row["id"] for row in curator("conflicts", "--json").rows] == [left], words
    (kept,) = [row["a"]["id"] for row in found if row["id"] == of[1]]
    assert curator("edit", kept, "I speak Portuguese with my three children").code == 0
    curator("duplicates", "scan")
    assert {row["id"] for row in curator("conflicts", "--json").rows} == {left, of[1]}, "other words open it anew"
