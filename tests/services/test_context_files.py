"""Contents of CLAUDE.md and similar files, and the command that writes them."""

import contextlib
from pathlib import Path

import pytest

from cli.conftest import curator as curator
from cli.runner import Curator
from curator.curation import set_given, validate
from curator.paths import store_folder
from curator.services.context_files import FIELD_CHARACTERS, chatgpt_fields, confirmed_memories, markdown
from effort import thorough
from factories import put
from store import Store, clock
from store.model import Given, Kind, Memory


@pytest.fixture
def own(store: Store) -> Store:
    """Return a store with memories of a person and of a project, one of them not validated."""
    numbers = put(store, "Keep answers short.", kind=Kind.PREFERENCE)
    numbers += put(store, "I am vegetarian.", kind=Kind.IDENTITY)
    numbers += put(store, "The site uses plain SQL.", kind=Kind.DECISION, project="site", scope="project:site")
    validate(store, numbers)
    put(store, "I may move to Porto.")
    return store


def test_only_what_was_validated_and_holds_there(own: Store) -> None:
    assert [memory.text for memory in confirmed_memories(own, "site")] == ["The site uses plain SQL."]
    assert {memory.text for memory in confirmed_memories(own, None)} == {"Keep answers short.", "I am vegetarian."}
    assert confirmed_memories(own, "other") == []


def test_the_first_line_speaks_of_preferences_only_if_they_follow(own: Store) -> None:
    of_project = "## Rules and facts of this project\n\nConfirmed by the person who works on it.\n\n### Decisions"
    assert markdown(confirmed_memories(own, "site")).startswith(of_project)
    validate(own, put(own, "Named exports only in this repo.", kind=Kind.CONSTRAINT, scope="project:site"))
    keep = "Confirmed by the person who works on it. Keep to its rules and preferences."
    assert markdown(confirmed_memories(own, "site")).splitlines()[2] == keep
    keep = "Confirmed by the person. Keep to their preferences; none of this is part of the repository."
    assert markdown(confirmed_memories(own, None)).splitlines()[2] == keep


def test_a_plan_whose_day_has_passed_is_left_out(store: Store) -> None:
    said = clock.from_iso("2026-01-22")
    past = put(store, "I want to swap my shift on 31 January with Priya", kind=Kind.TASK, created_at=said)
    texts = ("I want a gas hob", "I start at Acme on 1 May", "Since 10 January I have to take Max to school")
    lasting = put(store, *texts, kind=Kind.TASK, created_at=said)
    validate(store, [*past, *lasting])
    assert [memory.id for memory in confirmed_memories(store, None)] == sorted(lasting, reverse=True)


def test_chatgpts_fields_have_their_length(store: Store) -> None:
    validate(store, put(store, *(f"Fact {n}: {'x' * 200}" for n in range(20)), kind=Kind.FACT))
    validate(store, put(store, "Always answer in metric units.", kind=Kind.PREFERENCE))
    about, how = chatgpt_fields(confirmed_memories(store, None))
    assert 1_000 < len(about) <= FIELD_CHARACTERS
    assert how == "- Always answer in metric units."
    validate(store, put(store, f"Loves {'🥐' * 700} and {'🫖' * 300}", kind=Kind.FACT))  # two UTF-16 units each
    about, _ = chatgpt_fields(confirmed_memories(store, None))
    assert len(about.encode("utf-16-le")) // 2 <= FIELD_CHARACTERS


def test_chatgpts_fields_have_severe_safety_first_and_orders_in_the_second(store: Store) -> None:
    validate(store, put(store, *(f"I like thing number {n} {'very much ' * 8}" for n in range(30)), importance=9))
    orders = put(store, "Never use emojis", "Always use British spelling", kind=Kind.CONSTRAINT, importance=1)
    validate(store, orders)
    knee = put(store, "I can't kneel long because of an old netball injury", kind=Kind.CONSTRAINT, importance=9)
    set_given(store, knee, Given.ALWAYS)
    validate(store, knee)
    set_given(store, orders, Given.ALWAYS)
    text = "I'm allergic to penicillin, I stopped breathing when I was 6"
    validate(store, put(store, "I'm coeliac", text, importance=1))
    about, how = chatgpt_fields(confirmed_memories(store, None))
    assert about.splitlines()[:2] == [f"- {text}", "- I'm coeliac"]
    assert sorted(how.splitlines()) == ["- Always use British spelling", "- Never use emojis"]


def test_chatgpts_fields_are_chosen_without_a_comparison_of_every_two_memories(
    own: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    validate(own, put(own, *(f"Answer in style {n}" for n in range(20)), kind=Kind.PREFERENCE))
    memories, compared = confirmed_memories(own, None), list[object]()

    def is_equal(one: Memory, other: object) -> bool:
        compared.append(other)
        return one is other

    monkeypatch.setattr(Memory, "__eq__", is_equal)
    assert all(chatgpt_fields(memories))
    assert len(compared) <= len(memories)


@thorough
def test_a_plain_folder_is_a_project_if_there_are_memories_of_it(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curator("add", "The site uses plain SQL.", "--project", "site")
    curator("add", "I am vegetarian.", "--kind", "identity")
    for name in ("site", "other"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "site")
    assert curator("export", "--format", "claude-md").out == "wrote 1 memory of the project site to CLAUDE.md\n"
    assert curator("export", "--format", "claude-md", "../other/CLAUDE.md").out.startswith("wrote 1 memory for all")


def test_chatgpts_settings_are_of_no_project(curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curator("add", "I am vegetarian.", "--kind", "identity")
    curator("add", "The site uses plain SQL.", "--project", "site")
    (tmp_path / "site" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "site")
    told = curator("export", "--format", "chatgpt")
    assert told.code == 0 and "I am vegetarian." in told.out and "SQL" not in told.out
    assert "SQL" in curator("export", "--format", "chatgpt", "--project", "site").out
    none = curator("export", "--format", "claude-md", "--project", "other")
    assert none.code == 1 and "--global takes global memories" in none.err


@thorough
def test_a_jsonl_file_of_a_project_has_nothing_of_others(curator: Curator, tmp_path: Path) -> None:
    curator("add", "The site uses plain SQL.", "--project", "site")
    curator("add", "The shed is painted red.", "--project", "shed")
    curator("add", "I am vegetarian.", "--kind", "identity")
    for words, expected in (
        (("--project", "site"), ["SQL"]),
        (("--global",), ["vegetarian"]),
        (("--project", "site", "SQL"), ["SQL"]),
        (("--project", "site", "scope:global"), []),
        ((), ["SQL", "red", "vegetarian"]),
    ):
        assert curator("export", tmp_path / "some.jsonl", *words).out.startswith(f"wrote {len(expected)} memor")
        written = (tmp_path / "some.jsonl").read_text()
        assert [word for word in ("SQL", "red", "vegetarian") if word in written] == expected
    assert curator("export", tmp_path / "some.jsonl", "--global", "--project", "site").code == 2
    for name in ("some.md", "some.csv"):
        refused = curator("export", tmp_path / name)
        assert refused.code == 2 and "--format markdown" in refused.err and not (tmp_path / name).exists()


@thorough
def test_in_a_work_tree_the_command_writes_its_projects_memories(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(store_folder()).sqlite():
        pass
    curator("add", "The site uses plain SQL.", "--project", "site")
    curator("add", "I am vegetarian.", "--kind", "identity")
    tree = tmp_path / "site"
    (tree / ".git").mkdir(parents=True)
    monkeypatch.chdir(tree)
    done = curator("export", "--format", "claude-md")
    assert done.code == 0
    assert done.out == "wrote 1 memory of the project site to CLAUDE.md\n"
    assert "vegetarian" not in (tree / "CLAUDE.md").read_text()
    assert curator("export", "--format", "claude-md").out == "CLAUDE.md has 1 memory of the project site already\n"
    assert "vegetarian" in curator("export", "--format", "markdown", "--global").out
    assert curator("export", "--format", "agents-md", "--project", "none").code == 1
    assert curator("export").code == 2
    with contextlib.closing(Store.open(store_folder())) as store:
        sheds = (f"The shed number {n} of the {n * 7} sheds is painted in the colour {n * 31}." for n in range(80))
        validate(store, put(store, *sheds))
    whole = curator("export", "--format", "markdown", "GEMINI2.md", "--global")
    assert "which every session reads; `--budget 2000`" in whole.err
    small = curator("export", "--format", "markdown", "GEMINI2.md", "--global", "--budget", "300")
    assert small.err == "" and 2 < (tree / "GEMINI2.md").read_text().count("- The shed") < 20
    assert curator("export", "all.jsonl", "--budget", "300").code == 2
    assert curator("export", "--format", "gemini-md").out == "wrote 1 memory of the project site to GEMINI.md\n"
    assert curator("export", "--format", "cursor", "--global").code == 0
    rule = (tree / ".cursor" / "rules" / "curator.mdc").read_text()
    assert rule.startswith("---\ndescription: ") and "alwaysApply: true\n---\n\n<!-- curator:begin" in rule
    assert "vegetarian" in rule and "SQL" not in rule


def test_an_order_that_is_always_given_is_a_preference_whatever_its_kind(store: Store) -> None:
    orders = "Use uv, not pip, for all my python projects", "I want every answer about money in NOK and EUR"
    facts = "I live in Bergen", "My bike is a Koga"
    numbers = put(store, *orders, *facts, kind=Kind.FACT)
    validate(store, numbers)
    set_given(store, numbers, Given.ALWAYS)
    memories = confirmed_memories(store, None)
    preferences, known = markdown(memories).split("### Facts")
    assert "### Preferences" in preferences and "Keep to their preferences" in preferences
    assert all(text in preferences for text in orders) and all(text in known for text in facts)
    about, how = chatgpt_fields(memories)
    assert all(text in how for text in orders) and all(text in about for text in facts)
