"""Join a shared project, and run a pass: read the segments of the others, write new ones."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from curator.curation.names import checked_scope
from curator.share.bounds import NEW_DEVICES, OBJECT, Budget, shortened
from curator.share.fold import ReadSegment, fold
from curator.share.invitation import read_invitation
from curator.share.members import (
    LISTS,
    SCHEMA,
    Member,
    MemberList,
    admit_members,
    later_lists,
    publish_members,
    read_invited,
    read_members,
    request_membership,
    save_members,
)
from curator.share.names import checked_name
from curator.share.outbox import Outgoing, compute_outgoing, statement_digest
from curator.share.project import Share, change, check_free, drop, exclusive, reload_share, save, saved, seed_of
from curator.share.reader import LEAP, MemberSegmentReader
from curator.share.received import ReceivedCounts
from curator.share.segment_content import statement_id
from curator.share.segments import seal
from curator.sync.segments import SegmentPath, digest_of, parse_path
from curator.targets import Target, from_anywhere, target_of
from store import Conflict, Store, TooNew
from store.progress import Report, no_report
from store.record.device import advance
from store.record.shares import MemberChain, MemberStatement

_REWRITE = "`curator share --rewrite` there writes all of them again"
_ITEMS = 500  # statements and verdicts in a segment


@dataclass(slots=True)
class PassResult:
    """Result of a pass. `problems` describes broken, lost and refused segments, `asking` names applicants."""

    project: str
    read: ReceivedCounts = field(default_factory=ReceivedCounts)
    written: int = 0
    admitted: list[str] = field(default_factory=list)
    asking: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    is_member: bool = True


@dataclass(frozen=True, slots=True)
class SharePass:
    """Context of a pass: the shared project, its target with the paths of all segments, and the result so far."""

    store: Store
    share: Share
    target: Target
    paths: Sequence[SegmentPath]
    result: PassResult
    report: Report = no_report


def create(
    store: Store, project: str, text: str, name: str, key: bytes, *, quotes: bool = False, unreviewed: bool = False
) -> Share:
    """Start sharing a project in an empty target. Raises Conflict, TargetUnreachable, ValueError."""
    from nacl.utils import random

    text, project = from_anywhere(text), checked_project(project)
    target = target_of(text, OBJECT)
    with exclusive():
        check_free(project)
        target.prepare()
        if target.names():
            raise Conflict(f"{text} is not empty: a shared project needs a folder or prefix of its own")
        space = random(16).hex()
        share = Share(space, project, text, checked_name(name), "", seed_of(store.sync.record_key(), space), {0: key})
        share = save(replace(share, owner=share.member, joined=advance(0), quotes=quotes, unreviewed=unreviewed))
        listed = MemberList(project, (Member(share.member, share.name, validates=True),))
        try:
            share = publish_members(share, target, listed)
            save_members(store, share, listed)
            return share
        except BaseException:
            drop(share)
            raise


def checked_project(name: str) -> str:
    """Return the normalised name of a project. Raises ValueError."""
    return checked_scope(f"project:{name}").removeprefix("project:")


def open_invitation(text: str, words: list[str]) -> tuple[Share, MemberList]:
    """Return the shared project in a target, and its members, before joining it. Raises Conflict, ValueError."""
    text = from_anywhere(text)
    target = target_of(text, OBJECT)
    return read_invited(text, read_invitation(words), target, target.names())


def join(
    store: Store, share: Share, project: str, name: str, *, quotes: bool = False, unreviewed: bool = False
) -> Share:
    """Join a shared project (`open_invitation`) by the local name `project`.

    Raises Conflict, TargetUnreachable, ValueError.
    """
    project = checked_project(project)
    with exclusive():
        check_free(project)
        if any(one.id == share.id for one in saved()):
            raise Conflict(f"this device has joined {share.target} already")
        seed = seed_of(store.sync.record_key(), share.id)
        share = replace(share, project=project, name=checked_name(name), seed=seed, joined=advance(0))
        share = replace(share, quotes=quotes, unreviewed=unreviewed)
        target = target_of(share.target, OBJECT)
        share, listed = read_members(save(share), target, target.names())
        if listed.member(share.member) is None:
            request_membership(share, target)
        save_members(store, share, listed)
        return save(share)


def sync(
    store: Store, share: Share, report: Report = no_report, *, manual: bool = False, rewrite: bool = False
) -> PassResult:
    """Read and write all new segments; with `rewrite`, write everything that this device shares again.

    Raises TargetUnreachable, Conflict; what was done until then stays done.
    """
    result = PassResult(share.project)
    with exclusive():
        target = target_of(share.target, OBJECT)
        names = target.names()
        share, listed = read_members(reload_share(share), target, names, result.problems)
        if share.owns:
            if later_lists(share, names):  # forged: a valid newer list spares the others checking them
                share = publish_members(share, target, listed)
            admission = admit_members(share, target, names, listed)
            share, listed, result.admitted = admission.share, admission.members, admission.names
            result.problems += admission.problems
        save_members(store, share, listed)
        result.is_member = listed.member(share.member) is not None
        if not result.is_member:  # joining may have been interrupted
            request_membership(share, target, names)
        paths = sorted(path for name in names if (path := parse_path(name)) is not None and path.tag != LISTS)
        budget = Budget(share.member, store.shares.item_counts(share.id), () if manual else share.paused)
        context = SharePass(store, share, target, paths, result, report)
        lost = pull(context, listed, budget, manual=manual)
        paused = tuple(sorted({*budget.reached} & {*listed.names}))
        if paused != share.paused:
            share = change(share, lambda now: replace(now, paused=paused))
        result.problems = shortened([*result.problems, *limit_warnings(share, listed, budget)])
        push(context, whole=lost or rewrite)
    return result


def pull(context: SharePass, listed: MemberList, budget: Budget, *, manual: bool) -> bool:
    """Read and fold new segments; return True if the own segments are lost or damaged."""
    store, share, target, result = context.store, context.share, context.target, context.result
    own, chains = share.tag(store.shares.device()), store.shares.chains(share.id)
    there: defaultdict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for path in context.paths:
        there[path.tag][path.generation].add(path.number)
    segments: list[ReadSegment] = []
    lost = False
    new = sorted({*there} - {*chains} - {own})
    if len(new) > NEW_DEVICES:
        result.problems.append(f"{len(new):,} devices that have never been read; {NEW_DEVICES} of them are read")
        new = random.sample(new, NEW_DEVICES)
    for tag in sorted({*chains, own} & {*there, *chains}) + new:
        chain = chains.get(tag, MemberChain(tag, share.member if tag == own else ""))
        reader = MemberSegmentReader(share, listed, target, chain, there.get(tag, {}), budget)
        segments += reader
        if tag == own and reader.newer_member == share.member:  # never overwrite what a newer Curator wrote here
            raise TooNew(reader.problem)
        if tag == own:
            lost = bool(reader.problem) or not reader.chain.whole
        elif reader.problem:
            result.problems.append(
                reader.problem + ("" if reader.removed_member or reader.newer_member else f"; {_REWRITE}")
            )
        result.asking += [reader.applicant] if reader.applicant else []
        if share.owns and reader.refused:  # reported once
            for path in [path for path in context.paths if path.tag == tag and path in reader.refused]:
                target.delete(path.name)
    result.asking = sorted(set(result.asking))
    result.read = fold(store, share, listed, segments, context.report, manual=manual)
    return lost


def limit_warnings(share: Share, listed: MemberList, budget: Budget) -> list[str]:
    """Return a warning for each member over a limit, with the remedy."""
    warnings = []
    for member, name in ((one.key, one.name) for one in listed.members):
        if not budget.is_spent(member):
            continue
        remove = f"`curator share remove {share.project} '{name}'` removes them"
        remedy = remove if share.owns else "ask the owner to remove them, if you do not want it"
        if member in budget.full:
            warnings.append(f"{name} has shared more than the limit, and nothing more is read; {remedy}")
        else:
            warnings.append(f"{name} shared more than one sync reads; run `curator share` again for the rest; {remedy}")
    return warnings


def push(context: SharePass, *, whole: bool = False, leaving: bool = False) -> None:
    """Write new items; if words were withdrawn or changed, write a new generation and delete the old one."""
    store, share, target = context.store, context.share, context.target
    outgoing = compute_outgoing(store, share, whole=whole, leaving=leaving)
    tag = share.tag(store.shares.device())
    mine = [path for path in context.paths if path.tag == tag]
    chain = store.shares.chains(share.id).get(tag) or MemberChain(tag, share.member)
    if not outgoing:
        if chain.whole and chain.member == share.member:  # left by an interrupted pass
            _delete_former(target, mine, chain)
        return
    mine, beyond = split_forged(mine, chain)
    newest = max((path.generation for path in mine), default=0)
    if outgoing.whole or not chain.generation:
        chain = replace(chain, generation=max(chain.generation, newest) + 1, number=0, digest="", epoch=share.epoch)
    parts = list(segment_contents(outgoing))
    for number, part in enumerate(parts, 1):
        last = number == len(parts)
        path = SegmentPath(tag, chain.generation, chain.number + 1)
        content = {"schema": SCHEMA, "name": share.name, "device": store.shares.device(), "ends": last, **part}
        data = seal(share, path, chain.digest, content)
        if not target.put(path.name, data):
            raise Conflict(f"{path.name} is in {share.target} already; run `curator share` again")
        chain = replace(chain, number=path.number, digest=digest_of(data), epoch=share.epoch, whole=last)
        with store.shares.writing() as connection:
            store.shares.put_chain(connection, share.id, chain)
            if last:
                store.shares.put_sent(connection, share.id, outgoing.sent)
                for one in outgoing_statements(store, share, outgoing):
                    store.shares.put_statement(connection, share.id, one)
        context.result.written += 1
        context.report("written", number, len(parts))
    _delete_former(target, mine, chain)
    for path in beyond:
        target.delete(path.name)


def split_forged(mine: Sequence[SegmentPath], chain: MemberChain) -> tuple[list[SegmentPath], list[SegmentPath]]:
    """Return the paths that this device may have written, and forged ones of much later generations."""
    latest = chain.generation + LEAP
    near = [path for path in mine if path.generation <= latest]
    return near, [path for path in mine if path.generation > latest]


def _delete_former(target: Target, mine: Sequence[SegmentPath], chain: MemberChain) -> None:
    """Delete the earlier generations of this device."""
    for path in mine:
        if path.generation < chain.generation:
            target.delete(path.name)


def outgoing_statements(store: Store, share: Share, outgoing: Outgoing) -> list[MemberStatement]:
    """Return the written items as statements, on which the others vote."""
    known = store.shares.statements(share.id)
    gone = {statement_id(share, share.member, item): at for item, at in outgoing.withdrawn}
    return [
        *(replace(known[one], withdrawn=True, written=at) for one, at in gone.items() if one in known),
        *(
            MemberStatement(
                statement_id(share, share.member, one["id"]),
                share.member,
                statement_digest(share, one),
                one["written"],
                store.by_uid(one["id"]),
            )
            for one in outgoing.statements
        ),
    ]


def segment_contents(outgoing: Outgoing) -> list[dict[str, object]]:
    """Return the items divided into the contents of segments."""
    items = [
        *(("statements", one) for one in outgoing.statements),
        *(("withdrawn", one) for one in outgoing.withdrawn),
        *(("votes", one) for one in outgoing.votes),
    ]
    return [
        {
            what: [one for sort, one in items[start : start + _ITEMS] if sort == what]
            for what in ("statements", "withdrawn", "votes")
        }
        for start in range(0, max(len(items), 1), _ITEMS)
    ]
