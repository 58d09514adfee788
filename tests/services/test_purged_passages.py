"""An import masks purged passages before they are stored, found by their hashes since the words are gone."""

import json
from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.cli.import_summary import print_summary
from curator.services.import_logs import import_paths
from curator.services.import_summary import covered_line
from curator.sync.key import words_of
from curator.sync.run import inspect_space, join
from curator.text import content_key
from effort import thorough
from factories import put
from store import Filter, Forgotten, Store
from store.record import meta
from store.record.purged_texts import checksum
from store.record.text_redaction import MASK
from sync.devices import KEY, device, devices, settle, states

pytestmark = thorough

SECRET = "I had an eating disorder in my teens."


def purged(store: Store, *texts: str) -> None:
    curation.purge(store, put(store, *texts))


def imported(store: Store, folder: Path, *turns: str, title: str = "Planning a week of dinners") -> list[str]:
    """Import one conversation of the person and an assistant; return the stored texts of all messages."""
    said: list[dict[str, Any]] = [
        {"role": "assistant" if n % 2 else "user", "content": turn} for n, turn in enumerate(turns)
    ]
    log = folder / "log.json"
    log.write_text(json.dumps([{"title": title, "messages": said}]))
    import_paths(store, [log], None)
    return stored(store)


def stored(store: Store) -> list[str]:
    ids = store.raw.conversation_ids()
    return [one.text for conversation in ids for one in store.raw.messages(conversation)]


@pytest.mark.parametrize(
    ("text", "turn", "covered"),
    [
        (SECRET, f"Plan my dinners. {SECRET} No diets please.", "I had an eating disorder in my teens"),
        (SECRET, "i  had an *eating disorder*\nin my teens", "i  had an *eating disorder*\nin my teens"),
        (SECRET, "Well, I had an eating disorder in my teens, so no diets.", "I had an eating disorder in my teens"),
        (SECRET, "- I had an eating disorder in my teens\n- I like soup", "- I had an eating disorder in my teens"),
        (SECRET, "I like soup and I had an eating disorder in my teens", "I had an eating disorder in my teens"),
        (SECRET, "I HAD AN EATING DISORDER IN MY TEENS — long ago!", "I HAD AN EATING DISORDER IN MY TEENS"),
        ("I see Dr. Smith on Mondays", "Ok. I see Dr. Smith on Mondays. Right?", "I see Dr. Smith on Mondays"),
        ("I can't have children.", "You know, I can not have children.", "I can not have children"),
        (
            "I won't have children, I'm sure",
            "I will not have children, I am sure!",
            "I will not have children, I am sure",
        ),
        (
            "In my teens I lived in Oslo, Bergen, Lund, Ystad, Turku and Riga",
            "Once more: in my teens, I lived in Oslo, Bergen, Lund, Ystad, Turku and Riga. Ok?",
            "in my teens, I lived in Oslo, Bergen, Lund, Ystad, Turku and Riga",
        ),
        (
            "Ich heiße jetzt Jürgen Groß",
            "Hallo! Ich heisse jetzt Ju\u0308rgen GROSS.",
            "Ich heisse jetzt Ju\u0308rgen GROSS",
        ),
        ("我住在北京朝阳区。", "你好。我住在北京朝阳区，谢谢。", "我住在北京朝阳区"),
        (
            "I owe 12,000.50 to the bank at 3:30",
            "Yes. I owe 12000.50 to the bank at 3:30.",
            "I owe 12000.50 to the bank at 3:30",
        ),
    ],
)
def test_a_sentence_or_clause_that_says_what_was_purged_is_covered(
    store: Store, tmp_path: Path, text: str, turn: str, covered: str
) -> None:
    purged(store, text)
    start = turn.index(covered)
    expected = turn[:start] + MASK * len(covered) + turn[start + len(covered) :]
    quoted = f"You told me: {turn}"
    assert imported(store, tmp_path, turn, quoted) == [expected, f"You told me: {expected}"]


def test_words_around_it_that_add_nothing_do_not_bring_it_back(store: Store, tmp_path: Path) -> None:
    (salary, doctor) = put(store, "My salary is 61,000 euros.", "By the way I see Dr. Smith")
    for text in ("I see Dr. Smith on Mondays", "By the way I see Dr. Smith on Mondays"):
        curation.edit(store, doctor, text)
    curation.purge(store, [salary, doctor])
    turns = [
        "Plan my week. By the way my salary is 61,000 euros.",
        "Oh and btw my salary is 61,000 euros, you know",
        "Just so you know: MY SALARY is 61,000 euros thanks!",
        "I like soup and as I said my salary is 61000 euros. Ok?",
        "Please don’t forget that my salary is 61,000 euros by the way.",
        "I see Dr. Smith on Mondays",
        "İyi! By the way my salary is 61,000 euros",
    ]
    found = [one.replace(MASK, "") for one in imported(store, tmp_path, *turns)]
    assert found == [
        "Plan my week. By the way .",
        "Oh and btw , you know",
        "Just so you know:  thanks!",
        "I like soup and as I said . Ok?",
        "Please don’t forget that  by the way.",
        "",
        "İyi! By the way ",
    ]
    file = tmp_path / "memories.jsonl"
    file.write_text(
        "".join(
            json.dumps({"text": turn.removeprefix("Plan my week. ").removeprefix("İyi! ")}) + "\n" for turn in turns
        )
    )
    assert import_paths(store, [file], None).reasons["forgotten"] == len(turns)
    with pytest.raises(Forgotten):
        curation.add(store, "Actually, my salary is 61,000 euros, by the way")
    assert store.list_ids(Filter()) == []


@pytest.mark.parametrize(
    "turn",
    [
        "By the way my salary is 62,000 euros.",
        "I think my salary is 61,000 euros.",
        "If my salary is 61,000 euros, what is the tax?",
        "By the way my salary is 61,000 euros?",
        "By the way my salary is not 61,000 euros.",
    ],
)
def test_words_around_it_that_mean_something_are_another_statement(store: Store, tmp_path: Path, turn: str) -> None:
    purged(store, "My salary is 61,000 euros.")
    assert imported(store, tmp_path, turn) == [turn]


def test_a_word_that_an_opener_leaves_alone_stays_free(store: Store) -> None:
    purged(store, "You should know that Tom")
    curation.add(store, "Tom")
    assert store.count(Filter()) == 1


def test_a_purge_of_another_device_is_known_by_its_hash_whatever_stands_around_it(store: Store) -> None:
    purged(store, SECRET)
    with store.sqlite() as connection:
        connection.execute("DELETE FROM meta WHERE name = 'purged_checksums'")
        connection.commit()
    with pytest.raises(Forgotten):
        curation.add(store, f"By the way {SECRET}")


@pytest.mark.parametrize(
    "turn",
    [
        "I had an eating disorder in my early teens.",
        "Not that I had an eating disorder in my teens like she did.",
        "I had no eating disorder in my teens.",
        "Do you think I had an eating disorder in my teens because of school?",
        "As a teenager I was bulimic.",
        "Yes.",
    ],
)
def test_what_only_shares_words_is_stored_as_it_is(store: Store, tmp_path: Path, turn: str) -> None:
    purged(store, SECRET, "Yes")
    assert imported(store, tmp_path, turn) == [turn]


def test_a_question_does_not_say_it(store: Store, tmp_path: Path) -> None:
    turn = "I had an eating disorder in my teens?"
    purged(store, SECRET)
    assert imported(store, tmp_path, turn) == [turn]


def test_titles_are_covered(store: Store, tmp_path: Path) -> None:
    purged(store, SECRET)
    imported(store, tmp_path, "Hello there, plan my week.", title="I had an eating disorder in my teens")
    (found,) = store.raw.get_conversations()
    assert found.title == MASK * 36
    imported(store, tmp_path, f"{SECRET} Plan my dinners.", title="I had an eating disor…")
    titles = {one.title for one in store.raw.get_conversations()}
    assert titles == {MASK * 36, MASK * 22}, "the cut beginning of what was said"


def test_former_texts_and_texts_with_a_date_are_recognized(store: Store, tmp_path: Path) -> None:
    (first, dated) = put(store, SECRET, "We lost the baby last Sunday (2024-05-12)")
    curation.edit(store, first, "I was ill in my teens, with an eating disorder.")
    curation.purge(store, [first, dated])
    found = imported(store, tmp_path, SECRET, "I see.", "We lost the baby last Sunday", "I am sorry.")
    assert found == [f"{MASK * 36}.", "I see.", MASK * 28, "I am sorry."]


def test_importing_again_adds_exactly_what_is_new(store: Store, tmp_path: Path) -> None:
    turns = [f"Plan my dinners. {SECRET}", "Here is a plan."]
    purged(store, SECRET)
    first = imported(store, tmp_path, *turns)
    assert imported(store, tmp_path, *turns) == first, "identities are those of the log's words"
    grown = imported(store, tmp_path, *turns, SECRET, "Noted.")
    assert grown == [*first, f"{MASK * 36}.", "Noted."] and len(store.raw.conversation_ids()) == 1


def test_a_log_imported_before_the_purge_does_not_bring_it_back(store: Store, tmp_path: Path) -> None:
    turns = [f"Plan my dinners. {SECRET}", "Here is a plan."]
    imported(store, tmp_path, *turns)
    purged(store, SECRET)
    before = stored(store)
    assert MASK in before[0] and imported(store, tmp_path, *turns) == before


def test_a_device_that_had_the_words_covers_what_another_one_purged(tmp_path: Path) -> None:
    made = devices(tmp_path, "laptop", "desktop")
    laptop, desktop = made
    with laptop.here():
        (gone,) = put(laptop.store, SECRET)
    settle(made)
    with laptop.here():
        curation.purge(laptop.store, [gone])
    settle(made)
    with desktop.here():
        assert imported(desktop.store, tmp_path, f"Well, {SECRET}") == [f"Well, {MASK * 36}."]
    settle(made)
    assert stored(laptop.store) == stored(desktop.store) and len(set(states(made))) == 1


def test_what_was_purged_before_a_device_joined_another_with_its_own_key_is_covered(tmp_path: Path) -> None:
    (laptop,) = devices(tmp_path, "laptop")
    desktop = device(tmp_path, "desktop")
    with desktop.here() as store:
        purged(store, SECRET)
        put(store, "I like tea")
        before = key(store)
        join(store, inspect_space(store, f"folder:{tmp_path / 'target'}", "desktop", words_of(KEY)))
    settle([laptop, desktop])
    with desktop.here() as store:
        assert key(store) != before
        assert imported(store, tmp_path, f"Well, {SECRET}") == [f"Well, {MASK * 36}."]
    settle([laptop, desktop])
    assert stored(laptop.store) == stored(desktop.store) and len(set(states([laptop, desktop]))) == 1


@pytest.mark.parametrize("text", [SECRET, f"Well, {SECRET}", f"I live in Ghent. {SECRET}"])
def test_a_memory_of_a_file_that_says_what_was_purged_is_refused(store: Store, tmp_path: Path, text: str) -> None:
    purged(store, SECRET)
    file = tmp_path / "memories.jsonl"
    file.write_text(json.dumps({"text": text}) + "\n" + json.dumps({"text": "I live in Ghent."}) + "\n")
    summary = import_paths(store, [file], None)
    assert summary.reasons["forgotten"] == 1
    assert [one.text for one in store.get_many(store.list_ids(Filter()))] == ["I live in Ghent."]


def test_parts_of_a_memory_of_a_file_that_say_what_was_purged_are_left_out(store: Store, tmp_path: Path) -> None:
    purged(store, SECRET)
    said = {"quote": f"Well, {SECRET}", "said_at": "2026-01-01"}
    other = {"quote": "I cook", "title": f"Dinners. {SECRET}", "said_at": "2026-01-02"}
    row = {"text": "I cook for two.", "evidence": [said, other]}
    (tmp_path / "memories.jsonl").write_text(json.dumps(row) + "\n")
    import_paths(store, [tmp_path / "memories.jsonl"], None)
    (memory,) = store.list_ids(Filter())
    assert [(one.quote, one.title) for one in store.evidence(memory)] == [("I cook", None)]


def key(store: Store) -> bytes:
    with store.sqlite() as connection:
        return meta.get(connection, "key")


def test_the_record_has_no_checksum_of_what_was_purged(store: Store) -> None:
    purged(store, SECRET)
    with store.sqlite() as connection:
        noted = json.loads(meta.find(connection, "purged_checksums") or b"{}")
    assert len(noted) == 1 and checksum(SECRET) not in noted.values()


def test_what_is_only_forgotten_stays_in_the_logs(store: Store, tmp_path: Path) -> None:
    curation.forget(store, put(store, SECRET))
    assert imported(store, tmp_path, SECRET) == [SECRET]


def test_what_is_typed_again_is_refused_as_before(store: Store) -> None:
    purged(store, SECRET)
    with pytest.raises(Forgotten):
        curation.add(store, SECRET)
    assert store.list_ids(Filter()) == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I can't, I won't, I shan't", "i cannot I will not  I shall not"),
        ("We're sure they've said I'll go", "We are sure they have said I will go"),
        ("“I’m” 12,000 ﬁne – 5 % ok", '"i am" 12000 fine - 5% ok'),
        ("Straße **CAFÉ** well-known", "strasse cafe\u0301 well known"),
        ("Ａ１ is x² and 3½", "a1 is x^2 and 3 1⁄2"),
    ],
)
def test_texts_with_one_content_key_have_one_checksum(a: str, b: str) -> None:
    assert content_key(a) == content_key(b) and checksum(a) == checksum(b)


@pytest.mark.parametrize(
    ("text", "turn", "left"),
    [
        ("My NAS is at 192.168.1.17", "My NAS is at 192.168.1.17", ""),
        (
            "My e-mail is jane.doe@mail.example.com",
            "Hi!\nMy e-mail is jane.doe@mail.example.com\nThanks",
            "Hi!\n\nThanks",
        ),
        ("我用 PostgreSQL 数据库", "我有 iPhone。我用 PostgreSQL 数据库。再见", "我有 iPhone。。再见"),
        ("other serious things", "I have HIV and and other serious things", "I have HIV and and "),
        ("I have HIV", f"x{' ' * 200_000}w. I have HIV.", f"x{' ' * 200_000}w. ."),
    ],
)
def test_lines_with_dots_and_other_signs_are_covered_in_time(
    store: Store, tmp_path: Path, text: str, turn: str, left: str
) -> None:
    purged(store, text)
    assert imported(store, tmp_path, turn)[0].replace(MASK, "") == left


def test_an_answer_to_a_recall_is_covered(store: Store, tmp_path: Path) -> None:
    purged(store, SECRET)
    store.recalls.put("r0123456789", put(store, "I like tea"))
    imported(store, tmp_path, '<memories id="r0123456789">x</memories> plan dinners', f"Ok. {SECRET} I noted that.")
    with store.sqlite() as connection:
        (answer,) = connection.execute("SELECT text FROM turns").fetchone()
    assert answer.replace(MASK, "") == "Ok. . I noted that."


def test_an_import_says_once_what_came_back_and_was_covered(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    purged(store, SECRET)
    log = tmp_path / "log.json"
    said: list[dict[str, Any]] = [{"role": "user", "content": f"By the way, {SECRET}"}]
    for count, line in ((1, "1 passage with purged words came back, and was covered"), (2, "2 passages")):
        log.write_text(json.dumps([{"title": f"chat {count}", "messages": said * count}]))
        summary = import_paths(store, [log], None)
        assert summary.covered == count
        print_summary(summary, as_json=False)
        assert capsys.readouterr().out.count(line) == 1
        print_summary(summary, as_json=True)
        assert json.loads(capsys.readouterr().out)["covered"] == count
    again = import_paths(store, [log], None)
    assert again.covered == 0 and covered_line(again) == "", "nothing new came in"
