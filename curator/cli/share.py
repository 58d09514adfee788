"""The command `share`: projects shared by several people, over a folder or object storage.

The subcommands mirror those of `curator sync`. `curator share NAME` is not supported: a project could have the name of
a subcommand.
"""

from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.options import HELP, AsJson, NamedValues, TargetArgument, Yes
from curator.cli.output import STORE, USAGE, code_of, confirm, dim, open_store, print_json, print_table, warn
from curator.cli.progress import ProgressLines
from curator.cli.sync import print_words, words_given
from curator.display import counted, truncate
from curator.terminal_text import on_one_line
from store import Store

if TYPE_CHECKING:
    from curator.share.project import Share
    from curator.share.run import PassResult

_MAX_SHOWN = 5  # memories shown before sharing
_WIDTH = 100
_FOR_OTHERS = "The others keep what they have read, even if you withdraw it or leave: sharing cannot be undone."
Project = Annotated[str, typer.Argument(metavar="PROJECT", help="The project, as in `curator list project:NAME`.")]
Shared = Annotated[str, typer.Argument(metavar="PROJECT", help="A shared project.")]
Target = Annotated[
    str, typer.Option("--with", metavar="TARGET", help="folder:PATH, or s3://, gs:// or az://BUCKET/PREFIX.")
]
Name = Annotated[str, typer.Option("--name", metavar="NAME", help="Name that the others see; your login by default.")]
Who = Annotated[str, typer.Argument(metavar="NAME", help="A member, as `curator share members` calls them.")]
Quotes = Annotated[bool, typer.Option("--quotes", help="Also share the quotes of your memories.")]
Unreviewed = Annotated[
    bool, typer.Option("--unreviewed", help="Also share memories from your logs that you have not reviewed yet.")
]
share = typer.Typer(help="Share projects with other people through a folder or a bucket.", context_settings=HELP)


@share.callback(invoke_without_command=True)
def run(
    context: typer.Context,
    rewrite: Annotated[
        bool, typer.Option("--rewrite", help="Rewrite everything this device shared, if some of it is damaged.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read what the others said in your shared projects, and write what is new here."""
    if context.invoked_subcommand is not None:
        return
    from curator.errors import Conflict, StoreError, TargetUnreachable
    from curator.share.project import saved
    from curator.share.run import sync

    store, shares = open_store(), saved()
    if not shares:
        raise Conflict(
            "no project is shared yet; `curator share init PROJECT --with TARGET` shares one,"
            " `curator share join TARGET` joins one"
        )
    rows: list[dict[str, object]] = []
    failed: int | None = None
    broken = False
    for shared in shares:
        try:
            with closing(ProgressLines()) as lines:
                done = sync(store, shared, lines.show_stage, manual=True, rewrite=rewrite)
        except (TargetUnreachable, StoreError) as error:  # other projects may use other targets
            warn(f"{on_one_line(shared.project)}: {error}")
            failed = failed or code_of(error)
            continue
        status = status_of(store, shared, done)
        rows.append(status_row(status))
        broken = broken or bool(done.problems)
        if not as_json:
            print_status(status)
        for problem in done.problems:
            warn(on_one_line(problem))
    if as_json:
        print_json({"projects": rows})
    if failed or broken:
        raise typer.Exit(failed or STORE)


@dataclass(frozen=True, slots=True)
class ShareStatus:
    """A shared project after a pass.

    `waiting` memories of others are to be reviewed; those in `kept` were withdrawn by their authors, but not here.
    """

    share: "Share"
    done: "PassResult"
    members: list[str]
    waiting: int
    kept: list[int]


def status_of(store: Store, share: "Share", done: "PassResult") -> ShareStatus:
    """Return the status of a shared project after a pass."""
    from curator.share.members import saved_members
    from curator.share.outbox import kept_though_withdrawn, undecided_memories

    statements = list(store.shares.statements(share.id).values())
    return ShareStatus(
        share,
        done,
        [member.name for member in saved_members(store, share).members],
        len(undecided_memories(store, statements)),
        kept_though_withdrawn(store, statements),
    )


def status_row(status: ShareStatus) -> dict[str, object]:
    """Return a status as JSON."""
    share, done = status.share, status.done
    return {
        "project": share.project,
        "target": share.target,
        "members": status.members,
        "member": done.is_member,
        "new": dict(done.read.new),
        "corrected": dict(done.read.corrected),
        "withdrawn": done.read.withdrawn,
        "released": done.read.released,
        "held": done.read.held,
        "refused": done.read.refused,
        "written": done.written,
        "admitted": done.admitted,
        "asking": done.asking,
        "waiting": status.waiting,
        "kept": status.kept,
        "problems": done.problems,
    }


def print_status(status: ShareStatus) -> None:
    """Print the results of a pass in a project, and what is pending."""
    done, read = status.done, status.done.read
    print(f"{on_one_line(status.share.project)}: {', '.join(map(on_one_line, status.members))}")
    parts = [f"{count} new from {on_one_line(name)}" for name, count in read.new.items() if count]
    parts += [f"{count} corrected by {on_one_line(name)}" for name, count in read.corrected.items() if count]
    others = ((read.withdrawn, "withdrawn"), (read.released, "validated by people you trust"))
    parts += [f"{count} {what}" for count, what in (*others, (read.held, "held back again")) if count]
    parts += ["wrote new changes"] if done.written else []
    print(f"  {', '.join(parts) or 'nothing new'}")
    for name in done.admitted:
        print(f"  admitted {on_one_line(name)}; `curator share members` lists everyone")
    for name in done.asking:
        print(f"  {on_one_line(name)} has joined, and is waiting for the owner to admit them")
    if not done.is_member:
        print("  you have joined; the others can read what you share once the owner has synced")
    if status.waiting:
        waits = counted(status.waiting, "memory")
        print(f"  {waits} from others to review, kept from models until then: `curator list origin:shared is:inbox`")
    if status.kept:
        print(f"  withdrawn by the author, but kept by you: {', '.join(map(str, status.kept))}")


@share.command(cls=NamedValues)
def init(
    project: Project,
    target: Target,
    name: Name = "",
    quotes: Quotes = False,
    unreviewed: Unreviewed = False,
    yes: Yes = False,
) -> None:
    """Share a project: shows what would be shared, asks, and prints its key once, as words."""
    from nacl.utils import random

    from curator.share.invitation import invitation
    from curator.share.project import check_free
    from curator.share.run import checked_project, create

    project = checked_project(project)
    check_free(project)
    store = open_store()
    _show_preview(store, project, quotes, unreviewed)
    confirm(f"Share {on_one_line(project)} in {on_one_line(target)}?", yes)
    key = bytes(random(32))
    made = create(store, project, target, name or login(), key, quotes=quotes, unreviewed=unreviewed)
    print_words(
        invitation(key, made.owner),
        "The words of this project. Pass them on in person or by phone to those who join; they are not shown again.",
    )
    print(f"\nNow run `curator share` here; the others run `curator share join {on_one_line(target)}`.")


@share.command(cls=NamedValues)
def join(
    target: TargetArgument,
    project: Annotated[
        str,
        typer.Option("--project", metavar="NAME", help="Name of the project here; the owner's by default."),
    ] = "",
    name: Name = "",
    quotes: Quotes = False,
    unreviewed: Unreviewed = False,
    yes: Yes = False,
) -> None:
    """Join a shared project with its words, from a prompt or stdin."""
    from curator.share.invitation import ALL, KEY
    from curator.share.project import check_free
    from curator.share.run import checked_project, open_invitation
    from curator.share.run import join as join_project

    store = open_store()
    words = words_given(ALL).split()
    invited, listed = open_invitation(target, words)
    project = checked_project(project or listed.project)
    check_free(project)
    names = ", ".join(on_one_line(member.name) for member in listed.members)
    print(f"{on_one_line(project)}, shared by {names}")
    if len(words) == KEY:
        warn(
            f"these {KEY} words do not say who owns the project: the last eight are missing, or they are from an"
            " earlier version. Ask the owner for all of them; `curator share rekey` there makes new ones"
        )
        if yes:  # --yes does not answer that question
            raise typer.Exit(USAGE)
    _show_preview(store, project, quotes, unreviewed)
    confirm(f"Join {on_one_line(project)}?", yes)
    join_project(store, invited, project, name or login(), quotes=quotes, unreviewed=unreviewed)
    print(f"joined {on_one_line(project)}; now run `curator share`")


def _show_preview(store: Store, project: str, quotes: bool, unreviewed: bool) -> None:
    """Print what would be shared of a project: the number of memories, their kinds and the first texts."""
    from curator.share.outbox import count_global_memories, shareable_memories

    memories = shareable_memories(store, project, unreviewed)
    print(f"{counted(len(memories), 'memory')} would be shared{', with quotes' if quotes else ', without quotes'}")
    for kind, count in Counter(memory.kind.value for memory in memories).most_common():
        print(dim(f"  {count:>5,} {kind}"))
    for memory in memories[:_MAX_SHOWN]:
        print(f"  {truncate(on_one_line(memory.text), _WIDTH)}")
    if len(memories) > _MAX_SHOWN:
        print(dim(f"  and {len(memories) - _MAX_SHOWN:,} more: `curator list '{scope_filter(project)}'`"))
    if left := count_global_memories(store, project):
        print(dim(f"  {counted(left, 'memory')} from this project with global scope: not shared"))
    print(f"New ones are shared as soon as you validate them.\n{_FOR_OTHERS}")


def scope_filter(project: str) -> str:
    """Return the filter that lists the memories of a project."""
    scope = on_one_line(f"project:{project}")
    return f'scope:"{scope}"' if " " in scope else f"scope:{scope}"


@share.command(cls=NamedValues)
def members(project: Shared, as_json: AsJson = False) -> None:
    """List the members, who may validate, and whom you trust."""
    from curator.share.members import saved_members
    from curator.share.project import find

    store, shared = open_store(), find(project)
    listed = saved_members(store, shared)
    rows = [
        {
            "name": member.name,
            "key": member.key,
            "you": member.key == shared.member,
            "owner": member.key == shared.owner,
            "may_validate": member.validates,
            "trusted": member.key in shared.trusted,
        }
        for member in listed.members
    ]
    if as_json:
        print_json({"project": project, "members": rows, "removed": [former.name for former in listed.removed]})
        return
    signs = ("you", "owner", "may_validate", "trusted")
    print_table(
        [
            (on_one_line(str(row["name"])), ", ".join(sign.replace("_", " ") for sign in signs if row[sign]))
            for row in rows
        ],
        ("name", ""),
    )
    if not any(row["you"] for row in rows):
        print("you have asked to join; the owner's next sync admits you")
    for former in listed.removed:
        print(dim(f"removed: {on_one_line(former.name)}"))


@share.command(cls=NamedValues)
def trust(project: Shared, name: Who) -> None:
    """Trust a member: what they validate reaches your models without your review."""
    from curator.share.manage import trust as trust_member
    from curator.share.project import find

    member, done = trust_member(open_store(), find(project), name)
    print(f"what {on_one_line(name)} validates counts on this device · {counted(done.released, 'memory')} released")
    if not member.validates:
        print("the owner has not allowed them to validate yet; this takes effect once they do")


@share.command(cls=NamedValues)
def distrust(project: Shared, name: Who) -> None:
    """Stop trusting a member: review what they validate yourself."""
    from curator.share.manage import distrust as distrust_member
    from curator.share.project import find

    done = distrust_member(open_store(), find(project), name)
    print(f"what {on_one_line(name)} validates no longer counts here · {counted(done.held, 'memory')} held back again")


@share.command(cls=NamedValues)
def allow(project: Shared, name: Who) -> None:
    """Allow a member to validate for those who trust them. Owner only."""
    _allow(project, name, True)


@share.command(cls=NamedValues)
def disallow(project: Shared, name: Who) -> None:
    """No longer allow a member to validate. Owner only."""
    _allow(project, name, False)


def _allow(project: str, name: str, validates: bool) -> None:
    from curator.share.manage import allow as allow_member
    from curator.share.project import find

    changed = allow_member(open_store(), find(project), name, validates)
    state = "may validate now" if validates else "may no longer validate"
    print(f"{on_one_line(name)} {state}" if changed else "nothing to change")


@share.command(cls=NamedValues)
def remove(project: Shared, name: Who, yes: Yes = False) -> None:
    """Remove a member; the project gets a new key. Owner only."""
    from curator.share.invitation import invitation
    from curator.share.manage import check_owner
    from curator.share.manage import rekey as new_key
    from curator.share.project import find

    shared = find(project)
    check_owner(shared)
    who = on_one_line(name)
    print(f"{who} can read and write nothing new, but keeps what they have read.")
    confirm(f"Remove {who} from {on_one_line(project)}?", yes)
    key = new_key(open_store(), shared, name)
    print_words(
        invitation(key, shared.owner),
        f"removed {who}. Anyone who joins from now on needs these words; they are not shown again:",
    )
    print(f"\nAlso take away {who}'s access to {on_one_line(shared.target)}: they could still delete what is in it.")


@share.command(cls=NamedValues)
def rekey(project: Shared, yes: Yes = False) -> None:
    """Create new words for a project, if the old ones are lost or leaked. Owner only."""
    from curator.share.invitation import invitation
    from curator.share.manage import check_owner
    from curator.share.manage import rekey as new_key
    from curator.share.project import find

    shared = find(project)
    check_owner(shared)
    print("The old words no longer open anything new, but still open what was shared so far.")
    confirm(f"Give {on_one_line(project)} new words?", yes)
    key = new_key(open_store(), shared)
    print_words(invitation(key, shared.owner), "The new words, for anyone who joins from now on; not shown again.")
    print("\nThe members get the new key automatically.")


@share.command(cls=NamedValues)
def leave(
    project: Shared,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="First withdraw what this device shared, and your verdicts.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Stop sharing a project on this device. Received memories stay."""
    from curator.share.manage import leave as leave_project
    from curator.share.project import find

    shared = find(project)
    if shared.owns:
        print("You own this project: without you, nobody can be admitted or removed.")
    kept = "is withdrawn, except for what others decided to keep" if withdraw else "stays with them"
    print(f"What you received stays here; what you shared {kept}.")
    confirm(f"Leave {on_one_line(project)}?", yes)
    leave_project(open_store(), shared, withdraw=withdraw)
    print(f"left {on_one_line(project)}")


def login() -> str:
    """Return the login name of the person."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody"
