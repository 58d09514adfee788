"""The command to add a memory in the person's own words, available in every view."""

import re
from functools import partial

from curator import curation
from curator.display import counted
from curator.secrets import MARK
from curator.tui import verbs
from curator.tui.context import AppContext
from curator.tui.keymap import key_hint
from curator.tui.messages import Tone
from curator.tui.screens.dialogs import Ask, Menu, Option
from curator.tui.text_format import excerpt, one_line
from curator.tui.view import BaseApp
from store import Store, StoreError
from store.model import Given, Memory

_PROJECT = re.compile(r'(?:^|(?<=\s))project:(?:"([^"]+)"|(\S+))', re.IGNORECASE)


def _add_typed(store: Store, words: str, project: str | None = None) -> Memory:
    """Add a memory in the person's own words; an order is always given. Raises StoreError, ValueError."""
    from curator.distill.rules import is_order

    return curation.add(store, words, given=Given.ALWAYS if is_order(words) else None, project=project)


def project_typed(store: Store, text: str) -> tuple[str, str | None, list[str]]:
    """Return the words, the project of a term `project:NAME` in them, and known projects that they mention.

    Raises NotFound if the project has no memories.
    """
    from curator.services.projects import known_project

    if term := _PROJECT.search(text):
        words = f"{text[: term.start()]} {text[term.end() :]}".strip()
        return words, known_project(store, term[1] or term[2]), []
    names = [name for name, _ in store.project_counts()]
    return text, None, [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.I)]


async def add(app: BaseApp, context: AppContext) -> None:
    """Ask for a memory in the person's own words, add it, and report conflicts and duplicates."""
    added: list[Memory] = []
    unsure: list[tuple[str, list[str]]] = []  # words that mention projects, until the scope is known

    async def keep(text: str) -> str | None:
        try:
            words, project, named = await context.run("ids", project_typed, context.store, text)
            if named:
                unsure.append((words, named))
            else:
                added.append(await context.run("writes", _add_typed, context.store, words, project))
        except (StoreError, ValueError) as error:
            return str(error)
        return None

    def find_conflict(memory_id: int) -> verbs.OpenConflict | None:
        from curator.sweeps.compare import compare_now

        compare_now(context.store, memory_id)
        return verbs.strongest_conflict(context.store, [memory_id])

    hint = "One fact in your own words · project:NAME if it holds only there · enter saves"
    await app.push_screen_wait(Ask("New memory", hint, check=keep))
    while unsure:
        words, named = unsure.pop()
        options = [Option(str(key), name, "holds only there") for key, name in enumerate(named[:9], 1)]
        options.append(Option("e", "", "in all projects", "everywhere"))
        chosen = await app.push_screen_wait(Menu("Where does it hold?", options))
        if chosen is None:
            await app.push_screen_wait(Ask("New memory", hint, words, keep))
            continue
        try:
            added.append(await context.run("writes", _add_typed, context.store, words, chosen or None))
        except (StoreError, ValueError) as error:
            app.say(str(error), Tone.BAD)
            await app.push_screen_wait(Ask("New memory", hint, words, keep))
    for memory in added:
        always = f"always given: {key_hint(app, 'give')}" if memory.given is Given.ALWAYS else ""
        place = f" to project {one_line(memory.project)}" if memory.project else ""
        secrets = f" · {counted(count, 'secret')} redacted and not stored" if (count := memory.text.count(MARK)) else ""
        app.say(f"added “{excerpt(memory.text)}”{place}{secrets}", Tone.GOOD, always, undo=True)
        app.view.follow((memory.id,))
        last_command = context.undo_state.last
        conflict = await context.run("slow", partial(find_conflict, memory.id))
        if conflict is not None:
            is_last = last_command == context.undo_state.last  # else undo would revert a later command of the person
            what = "added, but it" if is_last else f"“{excerpt(memory.text, 28)}”"
            app.say(f"{what} {conflict.text()}", hint=key_hint(app, "conflicts"), undo=is_last)
