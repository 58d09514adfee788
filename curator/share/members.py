"""Members of a shared project: the list signed by its owner, requests to join, and keys of later epochs.

A list is an object `TAG/EPOCH/VERSION` with the same tag in every space; it also holds the keys of earlier epochs, so
that the current key decrypts everything. `keys/EPOCH` holds the key of an epoch in one sealed box for each member, and
the signature of the owner.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import orjson

from curator.share.bounds import MEMBERS, REQUESTS
from curator.share.invitation import Invitation
from curator.share.names import checked_name, clean_name, disambiguated, skeleton
from curator.share.project import Share, change
from curator.share.segments import decrypt, seal, unseal
from curator.share.signatures import is_signed, seal_box, sign, unseal_box
from curator.sync.segments import MAGIC, BrokenSegment, SegmentPath, header_of, parse_path
from curator.targets import BadObject, Target
from store import Conflict, NotFound, Store, TooNew
from store.record.shares import KnownMember

LISTS = hashlib.blake2b(b"curator-share members", digest_size=16).hexdigest()
"""Tag of the member lists."""
SCHEMA = 1
_JOIN, _KEYS = "join/", "keys/"
_BOX, _SIGNATURE = 80, 64  # bytes of a sealed key, and of the owner's signature of all
_LEAP = 1_000_000  # versions


@dataclass(frozen=True, slots=True)
class Member:
    """A member: public key, name, and whether they may validate."""

    key: str
    name: str
    validates: bool = False


@dataclass(frozen=True, slots=True)
class RemovedMember:
    """A removed member, and where each of their chains ended: generation, number and digest by tag."""

    key: str
    name: str
    ends: Mapping[str, tuple[int, int, str]]


@dataclass(frozen=True, slots=True)
class MemberList:
    """The member list of a space."""

    project: str
    members: tuple[Member, ...]
    removed: tuple[RemovedMember, ...] = ()

    @property
    def names(self) -> dict[str, str]:
        """The names of current and removed members by key."""
        return {one.key: one.name for one in self.removed} | {one.key: one.name for one in self.members}

    def member(self, key: str) -> Member | None:
        """Return the member with a key, or None."""
        return next((one for one in self.members if one.key == key), None)

    def former(self, key: str) -> RemovedMember | None:
        """Return the removed member with a key, or None."""
        return next((one for one in self.removed if one.key == key), None)

    def named(self, name: str) -> Member:
        """Return the member with a name. Raises NotFound."""
        for one in self.members:
            if one.name == name:
                return one
        if len(alike := [one.name for one in self.members if skeleton(one.name) == skeleton(name)]) > 1:
            raise NotFound(f"{len(alike)} members look like {name}: {', '.join(alike)}; give one of these names")
        raise NotFound(f"there is no member {name}; the members are {', '.join(one.name for one in self.members)}")


def saved_members(store: Store, share: Share) -> MemberList:
    """Return the member list as saved at the last pass."""
    rows = store.shares.members(share.id)
    return MemberList(
        share.project,
        tuple(Member(one.key, one.name, one.validates) for one in rows if not one.former),
        tuple(RemovedMember(one.key, one.name, {}) for one in rows if one.former),
    )


def save_members(store: Store, share: Share, listed: MemberList) -> None:
    """Save the member list in the store, for when the target cannot be reached."""
    rows = [KnownMember(one.key, one.name, one.validates, False) for one in listed.members]
    rows += [KnownMember(one.key, one.name, False, True) for one in listed.removed]
    store.shares.put_members(share.id, rows)


def publish_members(share: Share, target: Target, listed: MemberList) -> Share:
    """Write a new version of the list; return the updated share. Raises Conflict if another device wrote one."""
    names = target.names()
    newest = _newest(share, target, names, [])
    version = max((path.number for path in later_lists(share, names)), default=share.version) + 1
    content = {
        "schema": SCHEMA,
        "space": share.id,
        "owner": share.owner,
        "former": {str(epoch): key.hex() for epoch, key in share.keys.items() if epoch < share.epoch},
        **asdict(listed),
    }
    path = SegmentPath(LISTS, share.epoch, version)
    is_known = newest is None or newest.version <= share.version
    if not is_known or not target.put(path.name, seal(share, path, "", content)):
        raise Conflict("the list of members was changed on another device meanwhile; run `curator share`, then repeat")
    return change(share, lambda now: replace(now, keys=share.keys, version=version))


@dataclass(frozen=True, slots=True)
class _SignedList:
    """A list signed by its owner, its version, and the keys it contains."""

    listed: MemberList
    version: int
    keys: Mapping[int, bytes]


def read_members(
    share: Share, target: Target, names: Sequence[str], problems: list[str] | None = None
) -> tuple[Share, MemberList]:
    """Return the share updated with the keys of the newest list that its owner signed, and that list.

    Invalid lists are skipped, and named in `problems`. Raises Conflict if there is no valid list, it is older than the
    last one read, or its keys are not for this member.
    """
    found = _newest(share, target, names, [] if problems is None else problems)
    if found is None:
        raise Conflict(
            f"the list of members in {share.target} is gone or older than the one read here before: it is not carried"
            f" here completely, or somebody put it back; ask the owner of {share.project}"
        )
    if (found.keys, found.version) != (dict(share.keys), share.version):
        share = change(share, lambda now: replace(now, keys=found.keys, version=found.version))
    return share, found.listed


def _newest(share: Share, target: Target, names: Sequence[str], problems: list[str]) -> _SignedList | None:
    for path in sorted(_lists_in(names), key=lambda path: path.number, reverse=True):
        if path.number < share.version:
            break
        try:
            data = target.get(path.name) or b""
            if not _looks_like_list(path, data):
                raise BrokenSegment("is none")
            keys = {**share.keys, **epoch_key(share, target, path.generation)}
            found = unseal(replace(share, keys=keys), path, "", data)
            if found.member != share.owner or found.content.get("space") != share.id:
                raise BrokenSegment("is not signed by its owner")
            listed, former = _content(found.content)
            return _SignedList(listed, path.number, {**former, **keys})
        except BadObject as error:
            problems.append(f"a list of members of {share.project} ({path.name}) {error}: it is passed over")
    return None


def epoch_key(share: Share, target: Target, epoch: int) -> dict[int, bytes]:
    """Return the key of an epoch that is not known here yet.

    Anybody can write an object of keys: only one signed by the owner proves a removal. Raises BrokenSegment, Conflict
    if the owner did not seal the key for this member.
    """
    if epoch in share.keys:
        return {}
    sealed = target.get(f"{_KEYS}{epoch:06d}") or b""
    if len(sealed) > _BOX * (MEMBERS + 1):
        raise BrokenSegment("has too many keys")
    boxes = (sealed[start : start + _BOX] for start in range(0, len(sealed), _BOX))
    key = next(filter(None, (unseal_box(share.seed, box) for box in boxes)), None)
    if key is not None:
        return {epoch: key}
    if _is_signed_by_owner(share, epoch, sealed):
        raise Conflict(
            f"you are no longer a member of {share.project}, or were not admitted before its key changed. What you have"
            f" received stays; `curator share leave` ends it here, and with new words you can join again"
        )
    raise BrokenSegment("has a key that has not arrived yet, or that its owner did not give you")


def read_invited(where: str, words: Invitation, target: Target, names: Sequence[str]) -> tuple[Share, MemberList]:
    """Return the share of invitation words, still without a name and a seed, and the owner's newest list.

    Raises Conflict if there is no list, ValueError if the words do not decrypt it.
    """
    share, listed = Share("", "", where, "", "", bytes(32), {0: words.key}), _lists_in(names)
    any_list = False
    impostor = False
    for path in sorted(listed, key=lambda path: path.number, reverse=True):
        try:
            data = target.get(path.name) or b""
            if not _looks_like_list(path, data):
                continue
            any_list = True
            _, outer = decrypt(share, path, "", data)
            content = orjson.loads(outer["said"])
            found = replace(share, id=str(content["space"]), owner=str(content["owner"]), version=path.number)
            if unseal(found, path, "", data).member != found.owner:
                raise BrokenSegment("is not signed by its owner")
            if not words.is_by(found.owner):
                impostor = True
                continue
            members, former = _content(content)
        except (BadObject, ValueError, KeyError, TypeError):
            continue
        later = {other.generation for other in listed if other.generation > path.generation}
        if any(_is_signed_by_owner(found, epoch, target.get(f"{_KEYS}{epoch:06d}") or b"") for epoch in later):
            break  # the words have changed since
        return replace(found, keys={**former, path.generation: words.key}), members
    if not any_list:
        raise Conflict(f"there is no shared project in {where}: is it fully synced here?")
    if impostor:
        raise ValueError(f"the list of members in {where} is not signed by whoever owns the project of these words")
    raise ValueError(f"these are not the words of the project in {where}, or they have changed")


def _content(content: dict[str, Any]) -> tuple[MemberList, dict[int, bytes]]:
    """Parse a list into its members and the keys of earlier epochs. Raises BrokenSegment, TooNew."""
    if content.get("schema") != SCHEMA:
        raise TooNew("the owner of this project has a newer Curator than this device; update this one")
    try:
        former = {int(epoch): bytes.fromhex(key) for epoch, key in content["former"].items()}
        members = [
            Member(str(one["key"]), clean_name(one["name"]), bool(one["validates"])) for one in content["members"]
        ]
        removed = [
            RemovedMember(
                str(one["key"]),
                clean_name(one["name"]),
                {str(tag): (int(end[0]), int(end[1]), str(end[2])) for tag, end in one["ends"].items()},
            )
            for one in content["removed"]
        ]
        return _disambiguated(MemberList(str(content["project"]), tuple(members), tuple(removed))), former
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise BrokenSegment("is not a list of this version") from error


def _disambiguated(listed: MemberList) -> MemberList:
    names = disambiguated(listed.names)
    return replace(
        listed,
        members=tuple(replace(one, name=names[one.key]) for one in listed.members),
        removed=tuple(replace(one, name=names[one.key]) for one in listed.removed),
    )


def _lists_in(names: Sequence[str]) -> list[SegmentPath]:
    """Return the paths of the member lists among object names."""
    return [path for name in names if (path := parse_path(name)) is not None and path.tag == LISTS]


def later_lists(share: Share, names: Sequence[str]) -> list[SegmentPath]:
    """Return the paths of lists newer than the known one, without forged ones whose number is far too high."""
    return [path for path in _lists_in(names) if share.version < path.number <= share.version + _LEAP]


def _looks_like_list(path: SegmentPath, data: bytes) -> bool:
    """Return True if data begin with the header of a list at a path, as far as they were synced here."""
    head = MAGIC + header_of(path, "")
    return data[: len(head)] == head[: len(data)]


def request_membership(share: Share, target: Target, names: Sequence[str] = ()) -> None:
    """Write a request to join, unless one is among the object names. Raises TargetUnreachable."""
    path = SegmentPath(share.hashed(share.member, b"curator-join"), share.epoch, 1)
    if _JOIN + path.name in names:
        return
    target.put(_JOIN + path.name, seal(share, path, "", {"schema": SCHEMA, "name": share.name}))


class Admission(NamedTuple):
    """The share and its list after requests to join, the names of the new members, and what is wrong with requests."""

    share: Share
    members: MemberList
    names: list[str]
    problems: list[str]


def admit_members(share: Share, target: Target, names: Sequence[str], listed: MemberList) -> Admission:
    """Admit those who asked with the current words, as the owner."""
    new: list[Member] = []
    asked: list[str] = []
    problems: list[str] = []
    for name in names:
        path = parse_path(name.removeprefix(_JOIN)) if name.startswith(_JOIN) else None
        if path is None or len(asked) == REQUESTS:
            continue
        asked.append(name)
        try:
            if (data := target.get(name)) is None:
                continue
            if len(listed.members) + len(new) >= MEMBERS:
                raise BrokenSegment(f"is refused: there are {MEMBERS} members already")
            found = unseal(share, path, "", data)
            if found.epoch != share.epoch:
                raise BrokenSegment("was made with words from before somebody was removed; give them the present ones")
            if not isinstance(found.content.get("name"), str):
                raise BrokenSegment("has no name")
            wanted = checked_name(found.content["name"])
        except (BadObject, ValueError) as error:
            problems.append(f"a request to join ({name}) {error}")
            continue
        if all(one.key != found.member for one in (*listed.members, *new)):
            new.append(Member(found.member, wanted))
    if new:
        keys = {one.key for one in new}
        removed = tuple(one for one in listed.removed if one.key not in keys)
        listed = _disambiguated(replace(listed, members=(*listed.members, *new), removed=removed))
        share = publish_members(share, target, listed)
    for name in asked:
        target.delete(name)
    return Admission(share, listed, [listed.names[member.key] for member in new], problems)


def start_epoch(share: Share, target: Target, names: Sequence[str], members: Sequence[Member], key: bytes) -> Share:
    """Start an epoch with a key sealed for these members; return the updated share. Raises TargetUnreachable.

    The signature proves that the owner wrote the keys; an earlier Curator takes it for one more box.
    """
    epoch = share.epoch + 1
    while f"{_KEYS}{epoch:06d}" in names:  # left by an interrupted command, or written by somebody else
        epoch += 1
    share = replace(share, keys={**share.keys, epoch: key})
    boxes = b"".join(seal_box(one.key, key) for one in members)
    sealed = boxes + bytes.fromhex(sign(share.seed, _signed_bytes(share, epoch, boxes)))
    if not target.put(f"{_KEYS}{epoch:06d}", sealed):
        raise Conflict("another device changes the members at the same time; run `curator share`, then repeat")
    return share


def _is_signed_by_owner(share: Share, epoch: int, sealed: bytes) -> bool:
    """Return True if the owner signed the keys of an epoch."""
    boxes, signature = sealed[:-_SIGNATURE], sealed[-_SIGNATURE:]
    return is_signed(share.owner, _signed_bytes(share, epoch, boxes), signature.hex())


def _signed_bytes(share: Share, epoch: int, boxes: bytes) -> bytes:
    return b"curator-keys/1\n" + bytes.fromhex(share.id) + f"{epoch:06d}".encode() + boxes
