"""One pass of a shared project: read what the others said, write what is new here."""

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from curator.curation.names import checked_scope
from curator.share.bounds import OBJECT, STRANGERS, Budget, shortened
from curator.share.fold import Read, fold, ignore
from curator.share.heard import statement_id
from curator.share.invitation import read_invitation
from curator.share.members import (
    LISTS,
    SCHEMA,
    Member,
    Members,
    admit,
    ask,
    later_lists,
    note,
    publish,
    read,
    read_first,
)
from curator.share.names import checked_name
from curator.share.outbox import Outgoing, compare, said_digest
from curator.share.project import Share, alone, change, check_free, drop, save, saved, seed_of, settings_of
from curator.share.reader import LEAP, Reader
from curator.share.received import Counts
from curator.share.segments import seal
from curator.sync.segments import Place, digest_of, place_of
from curator.targets import Target, from_anywhere, target_of
from store import Conflict, Store, TooNew
from store.record.device import advance
from store.record.shares import MemberChain, Statement

Report = Callable[[str, int, int], None]
"""Called with the stage, and the numbers done and in all."""
_REWRITE = "`curator share --rewrite` there writes all of them again"
_ITEMS = 500  # statements and verdicts in a segment


@dataclass(slots=True)
class Pass:
    """Result of a pass. `problems` are broken, lost or refused segments in words, `asking` who is not admitted yet."""

    project: str
    read: Counts = field(default_factory=Counts)
    written: int = 0
    admitted: list[str] = field(default_factory=list)
    asking: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    is_member: bool = True


def create(
    store: Store, project: str, text: str, name: str, key: bytes, *, quotes: bool = False, unreviewed: bool = False
) -> Share:
    """Begin to share a project in a target that has nothing else. Raises Conflict, Offline, ValueError."""
    from nacl.utils import random

    text, project = from_anywhere(text), checked_project(project)
    target = target_of(text, OBJECT)
    with alone():
        check_free(project)
        target.prepare()
        if target.names():
            raise Conflict(f"{text} is not empty: a shared project needs a folder or prefix of its own")
        space = random(16).hex()
        share = Share(space, project, text, checked_name(name), "", seed_of(store.sync.record_key(), space), {0: key})
        share = save(replace(share, owner=share.member, joined=advance(0), quotes=quotes, unreviewed=unreviewed))
        listed = Members(project, (Member(share.member, share.name, validates=True),))
        try:
            share = publish(share, target, listed)
            note(store, share, listed)
            return share
        except BaseException:
            drop(share)
            raise


def checked_project(name: str) -> str:
    """Return the name of a project as memories have it. Raises ValueError."""
    return checked_scope(f"project:{name}").removeprefix("project:")


def opened(text: str, words: list[str]) -> tuple[Share, Members]:
    """Return the shared project in a target, as its words tell; it is not joined yet. Raises Conflict, ValueError."""
    text = from_anywhere(text)
    target = target_of(text, OBJECT)
    return read_first(text, read_invitation(words), target, target.names())


def join(
    store: Store, share: Share, project: str, name: str, *, quotes: bool = False, unreviewed: bool = False
) -> Share:
    """Join a shared project (`opened`), which is called `project` here. Raises Conflict, Offline, ValueError."""
    project = checked_project(project)
    with alone():
        check_free(project)
        if any(one.id == share.id for one in saved()):
            raise Conflict(f"this device has joined {share.target} already")
        seed = seed_of(store.sync.record_key(), share.id)
        share = replace(share, project=project, name=checked_name(name), seed=seed, joined=advance(0))
        share = replace(share, quotes=quotes, unreviewed=unreviewed)
        target = target_of(share.target, OBJECT)
        share, listed = read(save(share), target, target.names())
        if listed.member(share.member) is None:
            ask(share, target)
        note(store, share, listed)
        return save(share)


def sync(store: Store, share: Share, report: Report = ignore, *, manual: bool = False, rewrite: bool = False) -> Pass:
    """Read and write until nothing is new; with `rewrite`, write all that this device says again.

    Raises Offline, Conflict; what was done until then stays done.
    """
    done = Pass(share.project)
    with alone():
        target = target_of(share.target, OBJECT)
        names = target.names()
        share, listed = read(settings_of(share), target, names, done.problems)
        if share.owns:
            if later_lists(share, names):  # forged ones: the others need not look at them again
                share = publish(share, target, listed)
            share, listed, done.admitted, problems = admit(share, target, names, listed)
            done.problems += problems
        note(store, share, listed)
        done.is_member = listed.member(share.member) is not None
        if not done.is_member:  # joining may have been interrupted
            ask(share, target, names)
        places = sorted(place for name in names if (place := place_of(name)) is not None and place.tag != LISTS)
        budget = Budget(share.member, store.shares.kept(share.id), () if manual else share.paused)
        lost = pull(store, share, listed, target, places, done, report, budget, manual=manual)
        paused = tuple(sorted({*budget.reached} & {*listed.names}))
        if paused != share.paused:
            share = change(share, paused=paused)
        done.problems = shortened([*done.problems, *too_much(share, listed, budget)])
        push(store, share, target, places, done, report, whole=lost or rewrite)
    return done


def pull(
    store: Store,
    share: Share,
    listed: Members,
    target: Target,
    places: Sequence[Place],
    done: Pass,
    report: Report,
    budget: Budget,
    *,
    manual: bool,
) -> bool:
    """Read and fold what is new; return True if the own segments are lost or damaged."""
    own, chains = share.tag(store.shares.device()), store.shares.chains(share.id)
    there: defaultdict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for place in places:
        there[place.tag][place.generation].add(place.number)
    segments: list[Read] = []
    lost = False
    new = sorted({*there} - {*chains} - {own})
    if len(new) > STRANGERS:
        done.problems.append(f"{len(new):,} devices that are not known here have written; {STRANGERS} of them are read")
        new = random.sample(new, STRANGERS)
    for tag in sorted({*chains, own} & {*there, *chains}) + new:
        chain = chains.get(tag, MemberChain(tag, share.member if tag == own else ""))
        reader = Reader(share, listed, target, chain, there.get(tag, {}), budget)
        segments += reader
        if tag == own and reader.newer == share.member:  # what a newer Curator wrote here is not written over
            raise TooNew(reader.problem)
        if tag == own:
            lost = bool(reader.problem) or not reader.chain.whole
        elif reader.problem:
            done.problems.append(reader.problem + ("" if reader.former or reader.newer else f"; {_REWRITE}"))
        done.asking += [reader.asks] if reader.asks else []
        if share.owns and reader.refused:  # said once
            for place in [place for place in places if place.tag == tag and place in reader.refused]:
                target.delete(place.name)
    done.asking = sorted(set(done.asking))
    done.read = fold(store, share, listed, segments, report, manual=manual)
    return lost


def too_much(share: Share, listed: Members, budget: Budget) -> list[str]:
    """Return who said too much, and the remedy."""
    told = []
    for member, name in ((one.key, one.name) for one in listed.members):
        if not budget.is_spent(member):
            continue
        remove = f"`curator share remove {share.project} '{name}'` removes them"
        remedy = remove if share.owns else "ask the owner to remove them, if it is nothing that you want"
        if member in budget.full:
            told.append(f"{name} has said too much to read any more of it; {remedy}")
        else:
            told.append(f"{name} has said more than is read at once; `curator share` reads on, and {remedy}")
    return told


def push(
    store: Store,
    share: Share,
    target: Target,
    places: Sequence[Place],
    done: Pass,
    report: Report,
    *,
    whole: bool = False,
    leaving: bool = False,
) -> None:
    """Write what is new; where words were withdrawn or changed, all anew, and delete what held them."""
    outgoing = compare(store, share, whole=whole, leaving=leaving)
    tag = share.tag(store.shares.device())
    mine = [place for place in places if place.tag == tag]
    chain = store.shares.chains(share.id).get(tag) or MemberChain(tag, share.member)
    if not outgoing:
        if chain.whole and chain.member == share.member:  # an interrupted pass may have left them
            delete_former(target, mine, chain)
        return
    mine, beyond = split(mine, chain)
    newest = max((place.generation for place in mine), default=0)
    if outgoing.whole or not chain.generation:
        chain = replace(chain, generation=max(chain.generation, newest) + 1, number=0, digest="", epoch=share.epoch)
    parts = list(contents_of(outgoing))
    for number, part in enumerate(parts, 1):
        last = number == len(parts)
        place = Place(tag, chain.generation, chain.number + 1)
        content = {"schema": SCHEMA, "name": share.name, "device": store.shares.device(), "ends": last, **part}
        data = seal(share, place, chain.digest, content)
        if not target.put(place.name, data):
            raise Conflict(f"{place.name} is in {share.target} already; run `curator share` again")
        chain = replace(chain, number=place.number, digest=digest_of(data), epoch=share.epoch, whole=last)
        with store.shares.writing() as connection:
            store.shares.put_chain(connection, share.id, chain)
            if last:
                store.shares.put_sent(connection, share.id, outgoing.sent)
                for one in own_statements(store, share, outgoing):
                    store.shares.put_statement(connection, share.id, one)
        done.written += 1
        report("written", number, len(parts))
    delete_former(target, mine, chain)
    for place in beyond:
        target.delete(place.name)


def split(mine: Sequence[Place], chain: MemberChain) -> tuple[list[Place], list[Place]]:
    """Return the places that this device may have written, and those far beyond: others would leave no generation."""
    near = [place for place in mine if place.generation <= chain.generation + LEAP]
    return near, [place for place in mine if place not in near]


def delete_former(target: Target, mine: Sequence[Place], chain: MemberChain) -> None:
    """Delete the generations of this device before its present one."""
    for place in mine:
        if place.generation < chain.generation:
            target.delete(place.name)


def own_statements(store: Store, share: Share, outgoing: Outgoing) -> list[Statement]:
    """Return what was written as statements, on which the others vote."""
    known = store.shares.statements(share.id)
    gone = {statement_id(share, share.member, item): at for item, at in outgoing.withdrawn}
    return [
        *(replace(known[one], withdrawn=True, written=at) for one, at in gone.items() if one in known),
        *(
            Statement(
                statement_id(share, share.member, one["id"]),
                share.member,
                said_digest(share, one),
                one["written"],
                store.by_uid(one["id"]),
            )
            for one in outgoing.statements
        ),
    ]


def contents_of(outgoing: Outgoing) -> list[dict[str, object]]:
    """Return the contents of the segments."""
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
