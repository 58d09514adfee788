"""Changes of who is a member, who may validate, and whose validation counts here."""

from dataclasses import replace

from curator.share.bounds import OBJECT
from curator.share.fold import fold, ignore
from curator.share.members import LISTS, Member, Members, Removed, known, note, publish, read, start_epoch
from curator.share.project import Share, alone, change, drop, settings_of
from curator.share.received import Counts
from curator.share.run import Pass, push, sync
from curator.sync.segments import place_of
from curator.targets import target_of
from store import Conflict, Store

_WAIT = 30.0  # seconds for a pass in the background to end


def allow(store: Store, share: Share, name: str, validates: bool) -> bool:
    """Let a member validate for those who trust them, or no longer; return False if that was so. Raises Conflict."""
    _check_owner(share)
    with alone(_WAIT):
        target = target_of(share.target, OBJECT)
        share, listed = read(settings_of(share), target, target.names())
        member = listed.named(name)
        if member.validates is validates:
            return False
        changed = tuple(replace(one, validates=validates) if one.key == member.key else one for one in listed.members)
        _put(store, share, replace(listed, members=changed))
    decide(store, share)
    return True


def rekey(store: Store, share: Share, removed: str | None = None) -> bytes:
    """Begin a new epoch as the owner, without the `removed` member; return its key. Raises Conflict, Offline."""
    from nacl.utils import random

    _check_owner(share)
    sync(store, share)  # what they wrote until now counts
    with alone(_WAIT):
        target, key = target_of(share.target, OBJECT), bytes(random(32))
        share, listed = read(settings_of(share), target, target.names())
        if removed is not None:
            listed = without(store, share, listed, listed.named(removed))
        share = start_epoch(share, target, target.names(), listed.members, key)
        _put(store, share, listed)
    decide(store, share)
    return key


def without(store: Store, share: Share, listed: Members, member: Member) -> Members:
    """Return a list on which a member is a former one, whose segments end where they were read last."""
    if member.key == share.owner:
        raise Conflict("the owner cannot be removed; begin a new shared project instead")
    chains = store.shares.chains(share.id).values()
    ends = {one.tag: (one.generation, one.number, one.digest) for one in chains if one.member == member.key}
    rest = tuple(one for one in listed.members if one.key != member.key)
    return replace(listed, members=rest, removed=(*listed.removed, Removed(member.key, member.name, ends)))


def trust(store: Store, share: Share, name: str) -> tuple[Member, Counts]:
    """Let the validation of a member count here; return the member, and what that releases. Raises NotFound."""
    member = known(store, share).named(name)
    with alone(_WAIT):
        share = change(share, trusted=tuple(sorted({*settings_of(share).trusted, member.key})))
    return member, decide(store, share)


def distrust(store: Store, share: Share, name: str) -> Counts:
    """Let the validation of a member no longer count here; return what that holds back again. Raises NotFound."""
    member = known(store, share).named(name)
    with alone(_WAIT):
        trusted = tuple(one for one in settings_of(share).trusted if one != member.key)
        share = change(share, trusted=trusted)
    return decide(store, share, strict=True)


def decide(store: Store, share: Share, *, strict: bool = False) -> Counts:
    """Release and hold back received memories by whom the person trusts now."""
    share = settings_of(share)
    return fold(store, share, known(store, share), strict=strict)


def leave(store: Store, share: Share, *, withdraw: bool = False) -> None:
    """End sharing a project here; with `withdraw`, what this device shared is withdrawn before. Raises Offline."""
    if withdraw:
        sync(store, share)
        with alone(_WAIT):
            target = target_of(share.target, OBJECT)
            places = sorted(
                place for name in target.names() if (place := place_of(name)) is not None and place.tag != LISTS
            )
            push(store, settings_of(share), target, places, Pass(share.project), ignore, leaving=True)
    with alone(_WAIT):
        drop(share)
        store.shares.forget_space(share.id)


def _put(store: Store, share: Share, listed: Members) -> None:
    note(store, publish(share, target_of(share.target, OBJECT), listed), listed)


def _check_owner(share: Share) -> None:
    if not share.owns:
        raise Conflict(f"only the owner of {share.project} can do that")
