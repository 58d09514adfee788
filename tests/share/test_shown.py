"""Authors and validators of a shared memory, as shown in the app and on the command line."""

from pathlib import Path

from curator import curation
from curator.share.attribution import member_attributions
from curator.tui.glyphs import UNICODE
from curator.tui.memories.detail_queries import load
from curator.tui.memories.detail_render import content
from curator.tui.memories.queries import INBOX
from share.people import people, settle

ROSES = "The roses are cut in March"


def test_in_the_details_of_the_app(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    number = anna.add(ROSES)
    settle([anna, ben])
    received = ben.memories()[ROSES].id
    assert ben.store.list_ids(INBOX) == [received]
    found = load(ben.store, received)
    assert found is not None
    plain = content(found, UNICODE, 100, inbox=True).plain
    assert "shared by Anna; no assistant gets it before you validate it" in plain
    assert "said by Anna" in plain and "validated by Anna" in plain
    with ben.here() as store:
        curation.validate(store, [received])
    settle([anna, ben])
    found = load(anna.store, number)
    assert found is not None
    assert "validated by Ben" in content(found, UNICODE, 100).plain


def test_of_the_person_s_own(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    number = anna.add(ROSES)
    other = anna.add("I like tea", project=None)
    settle([anna, ben])
    assert member_attributions(anna.store, anna.store.get(number)) == ["shared"]
    assert member_attributions(anna.store, anna.store.get(other)) == []
    with anna.here() as store:
        curation.set_scope(store, [number], "global")
    settle([anna, ben])
    assert member_attributions(anna.store, anna.store.get(number)) == []
