"""Keys, signatures and epochs: the limits of who holds the target, a removed member or a forger."""

from dataclasses import replace
from pathlib import Path

import pytest

from curator import curation
from curator.share import manage, run
from curator.share.members import LISTS
from curator.share.project import Share, find, saved
from curator.share.segments import seal
from curator.sync.segments import SegmentPath, digest_of, parse_path
from curator.targets import FolderTarget
from effort import thorough
from share.people import KEY, Person, join, people, person, settle
from share.test_hostile import GOOD, write
from store import Conflict

ROSES, SHED = "The roses are cut in March", "The shed is locked at night"


def objects(folder: Path) -> list[Path]:
    return sorted(file for file in (folder / "target").rglob("*") if file.is_file())


def segments_of(one: Person, folder: Path) -> list[Path]:
    with one.here() as store:
        return sorted((folder / "target" / one.share().tag(store.shares.device())).rglob("0*/0*"))


def remove(owner: Person, name: str) -> bytes:
    with owner.here() as store:
        return manage.rekey(store, find("garden"), name)


def test_without_the_key_nothing_can_be_read(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    anna.add(ROSES, tags=["flowers"])
    ben.add(SHED)
    settle([anna, ben])
    for file in objects(tmp_path):
        content = file.read_bytes() + str(file.relative_to(tmp_path)).encode()
        for word in ("rose", "shed", "March", "flowers", "garden", "Anna", "Ben", anna.share().member, anna.share().id):
            assert word.encode() not in content, (file, word)


def test_the_file_of_keys_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    (anna,) = people(tmp_path, "Anna")
    assert (anna.home / "shares.json").stat().st_mode & 0o777 == 0o600


@thorough
@pytest.mark.parametrize("change", ["byte", "cut", "gone"])
def test_a_damaged_segment_is_named_and_the_others_are_read(tmp_path: Path, change: str) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    ben.add(ROSES)
    cara.add(SHED)
    ben.sync()
    cara.sync()
    if change == "gone":
        anna.sync()
        ben.add("The pond is deep")
        ben.sync()
    file = segments_of(ben, tmp_path)[-1]
    data = file.read_bytes()
    if change == "gone":
        for one in segments_of(ben, tmp_path):
            one.unlink()
    else:
        file.write_bytes(data[:-9] if change == "cut" else data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
    (problem,) = anna.sync().problems
    assert "Ben" in problem or file.name in problem
    assert SHED in anna.memories()
    with ben.here() as store:
        run.sync(store, find("garden"), rewrite=change != "gone")
    assert anna.sync().problems == []
    assert ROSES in anna.memories()


def forge(signer: Share, path: SegmentPath, former: str, text: str) -> bytes:
    entry: dict[str, object] = {"id": "1", "text": text, "kind": "fact", "tags": [], "until": None, "said_at": None}
    entry |= {"validated": True, "written": 1 << 60}
    content = {"schema": 1, "name": "x", "ends": True, "statements": [entry], "withdrawn": [], "votes": []}
    return seal(signer, path, former, content)


@thorough
def test_a_member_cannot_write_in_the_name_of_another(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    ben.add(ROSES)
    settle([anna, ben, cara])
    (last,) = segments_of(ben, tmp_path)
    path = parse_path(last.relative_to(tmp_path / "target").as_posix())
    assert path is not None
    forged = replace(path, number=2)
    target = FolderTarget(tmp_path / "target")
    target.put(forged.name, forge(cara.share(), forged, digest_of(last.read_bytes()), SHED))
    (problem,) = anna.sync().problems
    assert "signed by Cara" in problem
    assert SHED not in anna.memories()
    ben.add("The pond is deep")
    assert not ben.sync().problems
    assert not anna.sync().problems
    assert {ROSES, "The pond is deep"} == {*anna.memories()}


def test_a_signature_holds_for_its_place_only(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    ben.add(ROSES)
    ben.sync()
    (file,) = segments_of(ben, tmp_path)
    copied = tmp_path / "target" / ("ab" * 16) / "000001" / file.name
    copied.parent.mkdir(parents=True)
    copied.write_bytes(file.read_bytes())
    (problem,) = anna.sync().problems
    assert "of another device" in problem


@thorough
def test_a_removed_member_neither_reads_nor_writes_what_comes_later(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    ben.add(ROSES)
    settle([anna, ben, cara])
    before = ben.share()
    key = remove(anna, "Ben")
    anna.add("The new code of the gate hangs in the hall")
    settle([anna, cara])
    with pytest.raises(Conflict, match="no longer a member"):
        ben.sync()
    assert not any("gate" in text for text in ben.memories())
    (last,) = segments_of(ben, tmp_path)
    path = parse_path(last.relative_to(tmp_path / "target").as_posix())
    assert path is not None
    late = replace(path, number=2)
    target = FolderTarget(tmp_path / "target")
    target.put(late.name, forge(before, late, digest_of(last.read_bytes()), SHED))
    for one in (cara, anna):
        (problem,) = one.sync().problems
        assert "after Ben was removed" in problem
        assert SHED not in one.memories() and ROSES in one.memories()
    assert not cara.sync().problems  # the owner has deleted it
    with pytest.raises(ValueError, match="not the words"):
        run.open_invitation(f"folder:{tmp_path / 'target'}", [*words(KEY)])
    dora = person(tmp_path, "Dora")
    join(dora, tmp_path, key)
    assert anna.sync().admitted == ["Dora"]
    settle([anna, cara, dora])
    assert {*dora.memories()} == {ROSES, "The new code of the gate hangs in the hall"}


def words(key: bytes) -> list[str]:
    from curator.sync.key import words_of

    return words_of(key)


@thorough
def test_an_offline_member_gets_the_keys_of_all_epochs(tmp_path: Path) -> None:
    anna, *_, dora = people(tmp_path, "Anna", "Ben", "Cara", "Dora")
    remove(anna, "Ben")
    anna.add(ROSES)
    anna.sync()
    remove(anna, "Cara")
    anna.add(SHED)
    anna.sync()
    assert not dora.sync().problems
    assert {*dora.memories()} == {ROSES, SHED}
    assert sorted(dora.share().keys) == [0, 1, 2]


def test_who_asked_with_former_words_is_not_admitted(tmp_path: Path) -> None:
    anna, _ = people(tmp_path, "Anna", "Ben")
    cara = person(tmp_path, "Cara")
    join(cara, tmp_path)
    (request,) = (file for file in (tmp_path / "target" / "join").rglob("*") if file.is_file())
    kept = request.read_bytes()
    request.unlink()
    remove(anna, "Ben")
    request.parent.mkdir(parents=True, exist_ok=True)
    request.write_bytes(kept)
    done = anna.sync()
    assert not done.admitted and "before somebody was removed" in done.problems[0]
    with pytest.raises(Conflict, match="not admitted"):
        cara.sync()


def test_a_former_list_of_members_is_refused(tmp_path: Path) -> None:
    _, ben = people(tmp_path, "Anna", "Ben")
    ben.sync()
    newest = max((tmp_path / "target" / LISTS).rglob("0*/0*"))
    newest.unlink()
    with pytest.raises(Conflict, match="gone or older"):
        ben.sync()


def test_only_the_owner_changes_the_list(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    ben.sync()
    with ben.here() as store:
        with pytest.raises(Conflict, match="only the owner"):
            manage.allow(store, find("garden"), "Ben", True)
        with pytest.raises(Conflict, match="only the owner"):
            manage.rekey(store, find("garden"), "Anna")
    forged = replace(ben.share(), seed=ben.share().seed)
    path = SegmentPath(LISTS, 0, 9)
    content = {"schema": 1, "space": forged.id, "owner": forged.member, "former": {}, "project": "x"}
    target = FolderTarget(tmp_path / "target")
    target.put(path.name, seal(forged, path, "", {**content, "members": [], "removed": []}))
    for one in (ben, anna):
        assert "not signed by its owner" in one.sync().problems[0]
    with anna.here() as store:
        assert manage.allow(store, find("garden"), "Ben", True)
    assert not ben.sync().problems
    assert ben.store.shares.members(forged.id)[1].validates


def test_two_with_one_name_are_told_apart(tmp_path: Path) -> None:
    anna, _ = people(tmp_path, "Anna", "Ben")
    other = person(tmp_path, "other")
    other.name = "Ben"
    join(other, tmp_path)
    assert anna.sync().admitted == [f"Ben ({other.share().member[:10]})"]


@thorough
def test_leaving_ends_it_here_and_withdraws_if_asked(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    ben.add(ROSES)
    cara.add(SHED)
    settle([anna, ben, cara])
    for one, withdraw in ((ben, True), (cara, False)):
        with one.here() as store:
            manage.leave(store, find("garden"), withdraw=withdraw)
            assert saved() == [] and store.shares.statements(anna.share().id) == {}
    anna.sync()
    assert {*anna.memories()} == {SHED}
    assert {*ben.memories()} == {ROSES, SHED}
    join(ben, tmp_path)
    assert anna.sync().admitted == []
    settle([anna, ben])
    assert {*anna.memories()} == {ROSES, SHED}
    with ben.here() as store:
        assert curation.validate(store, [ben.memories()[ROSES].id]) == 0
    assert ben.store.differences() == []


@thorough
def test_new_words_without_removing_anybody(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    ben.add(ROSES)
    settle([anna, ben])
    with anna.here() as store:
        key = manage.rekey(store, find("garden"))
    anna.add(SHED)
    settle([anna, ben])
    assert {*ben.memories()} == {ROSES, SHED}
    with pytest.raises(ValueError, match="not the words"):
        run.open_invitation(f"folder:{tmp_path / 'target'}", words(KEY))
    cara = person(tmp_path, "Cara")
    join(cara, tmp_path, key)
    anna.sync()
    settle([anna, ben, cara])
    assert {*cara.memories()} == {ROSES, SHED}


def test_a_key_that_is_still_to_come_is_waited_for(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    with anna.here() as store:
        manage.rekey(store, find("garden"))
    key = tmp_path / "target" / "keys" / "000001"
    kept = key.read_bytes()
    key.unlink()
    (problem,) = ben.sync().problems
    assert "not arrived yet" in problem
    key.write_bytes(kept)
    assert not ben.sync().problems


@thorough
def test_leaving_withdraws_verdicts_too(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    ben.add(ROSES)
    settle([anna, ben, cara])
    with anna.here() as store:
        curation.validate(store, [anna.memories()[ROSES].id])
    cara.trust("Anna")
    settle([anna, ben, cara])
    assert cara.given() == {ROSES}
    with anna.here() as store:
        manage.leave(store, find("garden"), withdraw=True)
    settle([ben, cara])
    assert cara.given() == set() and ROSES in cara.memories()
    attribution = ben.store.shares.attribution(ben.memories()[ROSES].id)
    assert attribution is not None and attribution.validated == ()


@thorough
def test_a_member_changes_nothing_of_what_another_said(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    with anna.here() as store:
        curation.tag(store, [anna.add(ROSES)], ["beds"], [])
    anna.sync()
    cara.sync()
    write(ben, tmp_path, statements=[GOOD])
    cara.sync()
    with anna.here() as store:
        curation.forget(store, [anna.memories()[ROSES].id])
    anna.sync()
    cara.sync()
    write(ben, tmp_path, generation=2, statements=[GOOD | {"tags": ["odd"], "written": 2}])
    cara.sync()
    (memory,) = cara.memories().values()
    assert (memory.author, [*memory.tags]) == ("Anna", ["beds"])
    write(ben, tmp_path, generation=3, statements=[GOOD | {"text": "The roses are poisoned", "written": 3}])
    cara.sync()
    (memory,) = cara.memories().values()
    assert (memory.author, memory.text) == ("Ben", "The roses are poisoned")
    assert cara.store.differences() == []


@thorough
def test_a_correction_is_taken_over_though_the_name_was_told_apart_since(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    write(ben, tmp_path, statements=[GOOD])
    cara.sync()
    other = person(tmp_path, "other")
    other.name = "Ben"
    join(other, tmp_path)
    anna.sync()
    write(ben, tmp_path, generation=2, statements=[GOOD | {"tags": ["beds"], "written": 2}])
    cara.sync()
    (memory,) = cara.memories().values()
    assert [*memory.tags] == ["beds"]
