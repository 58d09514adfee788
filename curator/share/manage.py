"""Change the members, their right to validate, and whose validation counts here."""

from dataclasses import replace

from curator.share.bounds import OBJECT
from curator.share.fold import fold
from curator.share.members import (
    LISTS,
    Member,
    MemberList,
    RemovedMember,
    publish_members,
    read_members,
    save_members,
    saved_members,
    start_epoch,
)
from curator.share.project import Share, change, drop, exclusive, reload_share
from curator.share.received import ReceivedCounts
from curator.share.run import PassResult, SharePass, push, sync
from curator.sync.segments import parse_path
from curator.targets import target_of
from store import Conflict, Store

_WAIT = 30.0  # seconds for a pass in the background to end


def allow(store: Store, share: Share, name: str, validates: bool) -> bool:
    """Grant or revoke a member's right to validate; return False if nothing changes. Raises Conflict."""
    check_owner(share)
    with exclusive(_WAIT):
        target = target_of(share.target, OBJECT)
        share, listed = read_members(reload_share(share), target, target.names())
        member = listed.named(name)
        if member.validates is validates:
            return False
        changed = tuple(replace(one, validates=validates) if one.key == member.key else one for one in listed.members)
        _put(store, share, replace(listed, members=changed))
    _apply_trust(store, share)
    return True


def rekey(store: Store, share: Share, removed: str | None = None) -> bytes:
    """Start a new epoch as the owner, without the `removed` member; return its key.

    Raises Conflict, TargetUnreachable.
    """
    from nacl.utils import random

    check_owner(share)
    sync(store, share)  # segments written until now still count
    with exclusive(_WAIT):
        target, key = target_of(share.target, OBJECT), bytes(random(32))
        share, listed = read_members(reload_share(share), target, target.names())
        if removed is not None:
            listed = with_removed(store, share, listed, listed.named(removed))
        share = start_epoch(share, target, target.names(), listed.members, key)
        _put(store, share, listed)
    _apply_trust(store, share)
    return key


def with_removed(store: Store, share: Share, listed: MemberList, member: Member) -> MemberList:
    """Return the list with a member moved to the removed ones; their segments end where they were read last."""
    if member.key == share.owner:
        raise Conflict("the owner cannot be removed; begin a new shared project instead")
    chains = store.shares.chains(share.id).values()
    ends = {one.tag: (one.generation, one.number, one.digest) for one in chains if one.member == member.key}
    rest = tuple(one for one in listed.members if one.key != member.key)
    return replace(listed, members=rest, removed=(*listed.removed, RemovedMember(member.key, member.name, ends)))


def trust(store: Store, share: Share, name: str) -> tuple[Member, ReceivedCounts]:
    """Trust a member's validation on this device; return the member and the released memories. Raises NotFound."""
    member = saved_members(store, share).named(name)
    with exclusive(_WAIT):
        share = change(share, lambda now: replace(now, trusted=tuple(sorted({*now.trusted, member.key}))))
    return member, _apply_trust(store, share)


def distrust(store: Store, share: Share, name: str) -> ReceivedCounts:
    """Stop trusting a member's validation; return the memories held back again. Raises NotFound."""
    member = saved_members(store, share).named(name)
    with exclusive(_WAIT):
        share = change(share, lambda now: replace(now, trusted=tuple(one for one in now.trusted if one != member.key)))
    return _apply_trust(store, share, strict=True)


def _apply_trust(store: Store, share: Share, *, strict: bool = False) -> ReceivedCounts:
    """Release and hold back received memories by the current trust settings."""
    share = reload_share(share)
    return fold(store, share, saved_members(store, share), strict=strict)


def leave(store: Store, share: Share, *, withdraw: bool = False) -> None:
    """Leave a shared project; with `withdraw`, first withdraw what this device shared. Raises TargetUnreachable."""
    if withdraw:
        sync(store, share)
        with exclusive(_WAIT):
            target = target_of(share.target, OBJECT)
            paths = sorted(
                path for name in target.names() if (path := parse_path(name)) is not None and path.tag != LISTS
            )
            push(SharePass(store, reload_share(share), target, paths, PassResult(share.project)), leaving=True)
    with exclusive(_WAIT):
        drop(share)
        store.shares.forget_space(share.id)


def _put(store: Store, share: Share, listed: MemberList) -> None:
    save_members(store, publish_members(share, target_of(share.target, OBJECT), listed), listed)


def check_owner(share: Share) -> None:
    """Raise Conflict unless this person owns a project."""
    if not share.owns:
        raise Conflict(f"only the owner of {share.project} can do that")
