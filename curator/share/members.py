"""Members of a shared project: the signed list of its owner, requests to be on it, and keys of later epochs.

A list is an object `TAG/EPOCH/VERSION` with the same tag in every space; it also holds the keys of the epochs before,
so that the present key opens all. `keys/EPOCH` holds the key of an epoch once for each member, in boxes that only they
can open, and the signature of the owner.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import orjson

from curator.share.bounds import MEMBERS, REQUESTS
from curator.share.invitation import Invitation
from curator.share.names import checked_name, clean_name, told_apart
from curator.share.project import Share, change
from curator.share.segments import decrypted, seal, unseal
from curator.share.signatures import is_signed, opened, sealed_for, sign
from curator.sync.segments import MAGIC, Broken, Place, header_of, place_of
from curator.targets import BadObject, Target
from store import Conflict, NotFound, Store, TooNew
from store.record.shares import KnownMember

LISTS = hashlib.blake2b(b"curator-share members", digest_size=16).hexdigest()
"""Tag of the lists of members."""
SCHEMA = 1
_JOIN, _KEYS = "join/", "keys/"
_BOX, _SIGNATURE = 80, 64  # bytes of a sealed key, and of the owner's signature of all
_LEAP = 1_000_000  # versions


@dataclass(frozen=True, slots=True)
class Member:
    """A member: the public key, the name, and whether their validation may count."""

    key: str
    name: str
    validates: bool = False


@dataclass(frozen=True, slots=True)
class Removed:
    """A former member, and where each of their chains ended: generation, number and digest by tag."""

    key: str
    name: str
    ends: Mapping[str, tuple[int, int, str]]


@dataclass(frozen=True, slots=True)
class Members:
    """The list of members of a space."""

    project: str
    members: tuple[Member, ...]
    removed: tuple[Removed, ...] = ()

    @property
    def names(self) -> dict[str, str]:
        """The names of present and former members by key."""
        return {one.key: one.name for one in self.removed} | {one.key: one.name for one in self.members}

    def member(self, key: str) -> Member | None:
        """Return the member with a key, or None."""
        return next((one for one in self.members if one.key == key), None)

    def former(self, key: str) -> Removed | None:
        """Return the removed member with a key, or None."""
        return next((one for one in self.removed if one.key == key), None)

    def named(self, name: str) -> Member:
        """Return the member of a name. Raises NotFound."""
        for one in self.members:
            if one.name == name:
                return one
        raise NotFound(f"there is no member {name}; the members are {', '.join(one.name for one in self.members)}")


def known(store: Store, share: Share) -> Members:
    """Return the list of members that was read last."""
    rows = store.shares.members(share.id)
    return Members(
        share.project,
        tuple(Member(one.key, one.name, one.validates) for one in rows if not one.former),
        tuple(Removed(one.key, one.name, {}) for one in rows if one.former),
    )


def note(store: Store, share: Share, listed: Members) -> None:
    """Keep the list of members for when the target cannot be reached."""
    rows = [KnownMember(one.key, one.name, one.validates, False) for one in listed.members]
    rows += [KnownMember(one.key, one.name, False, True) for one in listed.removed]
    store.shares.put_members(share.id, rows)


def publish(share: Share, target: Target, listed: Members) -> Share:
    """Write a new version of the list; return the share, which knows it. Raises Conflict if another device did."""
    names = target.names()
    newest = _newest(share, target, names, [])
    version = max((place.number for place in later_lists(share, names)), default=share.version) + 1
    content = {
        "schema": SCHEMA,
        "space": share.id,
        "owner": share.owner,
        "former": {str(epoch): key.hex() for epoch, key in share.keys.items() if epoch < share.epoch},
        **asdict(listed),
    }
    place = Place(LISTS, share.epoch, version)
    known = newest is None or newest.version <= share.version
    if not known or not target.put(place.name, seal(share, place, "", content)):
        raise Conflict("the list of members was changed on another device meanwhile; run `curator share`, then repeat")
    return change(share, keys=share.keys, version=version)


@dataclass(frozen=True, slots=True)
class _Found:
    """A list that its owner signed, its version, and the keys that it tells."""

    listed: Members
    version: int
    keys: Mapping[int, bytes]


def read(
    share: Share, target: Target, names: Sequence[str], problems: list[str] | None = None
) -> tuple[Share, Members]:
    """Return the newest list of members that its owner signed, and the share with the keys it tells.

    Others are passed over, and named in `problems`. Raises Conflict if there is none, or it is older than before, or
    for others only.
    """
    found = _newest(share, target, names, [] if problems is None else problems)
    if found is None:
        raise Conflict(
            f"the list of members in {share.target} is gone or older than the one read here before: it is not carried"
            f" here completely, or somebody put it back; ask the owner of {share.project}"
        )
    if (found.keys, found.version) != (dict(share.keys), share.version):
        share = change(share, keys=found.keys, version=found.version)
    return share, found.listed


def _newest(share: Share, target: Target, names: Sequence[str], problems: list[str]) -> _Found | None:
    for place in sorted(lists_in(names), key=lambda place: place.number, reverse=True):
        if place.number < share.version:
            break
        try:
            data = target.get(place.name) or b""
            if not may_be(place, data):
                raise Broken("is none")
            keys = {**share.keys, **epoch_key(share, target, place.generation)}
            found = unseal(replace(share, keys=keys), place, "", data)
            if found.member != share.owner or found.content.get("space") != share.id:
                raise Broken("is not signed by its owner")
            listed, former = _content(found.content)
            return _Found(listed, place.number, {**former, **keys})
        except BadObject as error:
            problems.append(f"a list of members of {share.project} ({place.name}) {error}: it is passed over")
    return None


def epoch_key(share: Share, target: Target, epoch: int) -> dict[int, bytes]:
    """Return the key of an epoch that is not known here. Raises Broken, Conflict if its owner gave it to others only.

    Anybody can write an object of keys: only one that its owner signed tells that somebody was removed.
    """
    if epoch in share.keys:
        return {}
    sealed = target.get(f"{_KEYS}{epoch:06d}") or b""
    if len(sealed) > _BOX * (MEMBERS + 1):
        raise Broken("has too many keys")
    boxes = (sealed[start : start + _BOX] for start in range(0, len(sealed), _BOX))
    key = next(filter(None, (opened(share.seed, box) for box in boxes)), None)
    if key is not None:
        return {epoch: key}
    if _is_of_owner(share, epoch, sealed):
        raise Conflict(
            f"you are no longer a member of {share.project}, or were not admitted before its key changed. What you have"
            f" received stays; `curator share leave` ends it here, and with new words you can join again"
        )
    raise Broken("has a key that is still to come, or that its owner did not give to you")


def read_first(where: str, words: Invitation, target: Target, names: Sequence[str]) -> tuple[Share, Members]:
    """Return the share that the newest list of the owner tells, without a name and a seed, and the list.

    Raises Conflict if there is none, ValueError if the words do not open it.
    """
    share, listed = Share("", "", where, "", "", bytes(32), {0: words.key}), lists_in(names)
    may = False
    impostor = False
    for place in sorted(listed, key=lambda place: place.number, reverse=True):
        try:
            data = target.get(place.name) or b""
            if not may_be(place, data):
                continue
            may = True
            _, outer = decrypted(share, place, "", data)
            content = orjson.loads(outer["said"])
            found = replace(share, id=str(content["space"]), owner=str(content["owner"]), version=place.number)
            if unseal(found, place, "", data).member != found.owner:
                raise Broken("is not signed by its owner")
            if not words.is_by(found.owner):
                impostor = True
                continue
            members, former = _content(content)
        except (BadObject, ValueError, KeyError, TypeError):
            continue
        later = {other.generation for other in listed if other.generation > place.generation}
        if any(_is_of_owner(found, epoch, target.get(f"{_KEYS}{epoch:06d}") or b"") for epoch in later):
            break  # the words have changed since
        return replace(found, keys={**former, place.generation: words.key}), members
    if not may:
        raise Conflict(f"there is no shared project in {where}: is it carried here completely?")
    if impostor:
        raise ValueError(f"the list of members in {where} is not signed by whoever owns the project of these words")
    raise ValueError(f"these are not the words of the project in {where}, or they have changed")


def _content(content: dict[str, Any]) -> tuple[Members, dict[int, bytes]]:
    """Return the members and the keys of former epochs that a list tells. Raises Broken, TooNew."""
    if content.get("schema") != SCHEMA:
        raise TooNew("the owner of this project has a newer Curator than this device; update this one")
    try:
        former = {int(epoch): bytes.fromhex(key) for epoch, key in content["former"].items()}
        members = [
            Member(str(one["key"]), clean_name(one["name"]), bool(one["validates"])) for one in content["members"]
        ]
        removed = [
            Removed(
                str(one["key"]),
                clean_name(one["name"]),
                {str(tag): (int(end[0]), int(end[1]), str(end[2])) for tag, end in one["ends"].items()},
            )
            for one in content["removed"]
        ]
        return _told_apart(Members(str(content["project"]), tuple(members), tuple(removed))), former
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise Broken("is no list of this version") from error


def _told_apart(listed: Members) -> Members:
    names = told_apart(listed.names)
    return replace(
        listed,
        members=tuple(replace(one, name=names[one.key]) for one in listed.members),
        removed=tuple(replace(one, name=names[one.key]) for one in listed.removed),
    )


def lists_in(names: Sequence[str]) -> list[Place]:
    """Return the places of the lists of members among the names of objects."""
    return [place for name in names if (place := place_of(name)) is not None and place.tag == LISTS]


def later_lists(share: Share, names: Sequence[str]) -> list[Place]:
    """Return the places of lists after the one that is known; a forged one may have a number that leaves no other."""
    return [place for place in lists_in(names) if share.version < place.number <= share.version + _LEAP]


def may_be(place: Place, data: bytes) -> bool:
    """Tell whether data begin as the list at a place does, as far as they are carried here."""
    head = MAGIC + header_of(place, "")
    return data[: len(head)] == head[: len(data)]


def ask(share: Share, target: Target, names: Sequence[str] = ()) -> None:
    """Ask the owner to be admitted, unless it is asked among the names of objects. Raises Offline."""
    place = Place(share.hashed(share.member, b"curator-join"), share.epoch, 1)
    if _JOIN + place.name in names:
        return
    target.put(_JOIN + place.name, seal(share, place, "", {"schema": SCHEMA, "name": share.name}))


def admit(
    share: Share, target: Target, names: Sequence[str], listed: Members
) -> tuple[Share, Members, list[str], list[str]]:
    """Admit who asked with the present words, as the owner; return also the names of the new members, and problems."""
    new: list[Member] = []
    asked: list[str] = []
    problems: list[str] = []
    for name in names:
        place = place_of(name.removeprefix(_JOIN)) if name.startswith(_JOIN) else None
        if place is None or len(asked) == REQUESTS:
            continue
        asked.append(name)
        try:
            if (data := target.get(name)) is None:
                continue
            if len(listed.members) + len(new) >= MEMBERS:
                raise Broken(f"is refused: there are {MEMBERS} members already")
            found = unseal(share, place, "", data)
            if found.epoch != share.epoch:
                raise Broken("was made with words from before somebody was removed; give them the present ones")
            if not isinstance(found.content.get("name"), str):
                raise Broken("has no name")
            wanted = checked_name(found.content["name"])
        except (BadObject, ValueError) as error:
            problems.append(f"a request to join ({name}) {error}")
            continue
        if all(one.key != found.member for one in (*listed.members, *new)):
            new.append(Member(found.member, wanted))
    if new:
        keys = {one.key for one in new}
        removed = tuple(one for one in listed.removed if one.key not in keys)
        listed = _told_apart(replace(listed, members=(*listed.members, *new), removed=removed))
        share = publish(share, target, listed)
    for name in asked:
        target.delete(name)
    return share, listed, [listed.names[one.key] for one in new], problems


def start_epoch(share: Share, target: Target, names: Sequence[str], members: Sequence[Member], key: bytes) -> Share:
    """Begin an epoch with a key for these members; return the share that has it. Raises Offline.

    The signature tells the others from what anybody could write; an earlier Curator takes it for one more box.
    """
    epoch = share.epoch + 1
    while f"{_KEYS}{epoch:06d}" in names:  # of a command that was interrupted, or of somebody else
        epoch += 1
    share, boxes = (
        replace(share, keys={**share.keys, epoch: key}),
        b"".join(sealed_for(one.key, key) for one in members),
    )
    sealed = boxes + bytes.fromhex(sign(share.seed, _epoch_of(share, epoch, boxes)))
    if not target.put(f"{_KEYS}{epoch:06d}", sealed):
        raise Conflict("another device changes the members at the same time; run `curator share`, then repeat")
    return share


def _is_of_owner(share: Share, epoch: int, sealed: bytes) -> bool:
    """Return True if the owner signed the keys of an epoch."""
    boxes, signature = sealed[:-_SIGNATURE], sealed[-_SIGNATURE:]
    return is_signed(share.owner, _epoch_of(share, epoch, boxes), signature.hex())


def _epoch_of(share: Share, epoch: int, boxes: bytes) -> bytes:
    return b"curator-keys/1\n" + bytes.fromhex(share.id) + f"{epoch:06d}".encode() + boxes
