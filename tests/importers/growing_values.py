"""Contents of logs with one or two statements of a person: JSON values, texts, and databases."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from curator.text.notes import render_note
from importers import sample_logs as samples
from importers import (
    test_copilot,
    test_cursor,
    test_discord,
    test_goose,
    test_huggingchat,
    test_letta,
    test_local_chats,
    test_more_agents,
    test_open_webui,
    test_opencode,
    test_other_agents,
    test_perplexity,
    test_sharegpt,
    test_sillytavern,
    test_slack,
    test_telegram,
    test_zed,
)
from importers.sample_databases import write_tables
from importers.sample_logs import Json

ANSWER = "It opens."


def turns(said: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return the messages as (number, "user" or "assistant", text)."""
    both = [turn for text in said for turn in (("user", text), ("assistant", ANSWER))]
    return [(number, role, text) for number, (role, text) in enumerate(both, 1)]


def alternating(said: Sequence[str]) -> list[str]:
    return [text for _, _, text in turns(said)]


def chain(said: Sequence[str], first: str | None = None) -> list[tuple[str, str | None, str, int]]:
    """Return the messages as (id, id of the one before, text, number); ids begin with "u" or "a"."""
    ids = [f"{role[0]}{number}" for number, role, _ in turns(said)]
    return [
        (ids[number - 1], ids[number - 2] if number > 1 else first, text, number) for number, _, text in turns(said)
    ]


def messages(said: Sequence[str]) -> list[Json]:
    return [{"role": role, "content": text} for _, role, text in turns(said)]


def blocks(said: Sequence[str]) -> list[Json]:
    return [{"role": role, "content": [{"type": "text", "text": text}]} for _, role, text in turns(said)]


def claude_code(said: Sequence[str]) -> list[Json]:
    return [
        samples.code_line(number, role, text)
        if role == "user"
        else samples.code_answer(number, f"m{number}", {"type": "text", "text": text})
        for number, role, text in turns(said)
    ]


def codex(said: Sequence[str]) -> list[Json]:
    shown = {"user": "user_message", "assistant": "agent_message"}
    pairs = (
        (samples.codex_turn(n, role, text), samples.codex_event(n, shown[role], message=text))
        for n, role, text in turns(said)
    )
    return [samples.codex_meta(7), *(line for pair in pairs for line in pair)]


def deepseek(said: Sequence[str]) -> list[Json]:
    kinds = {"u": "REQUEST", "a": "RESPONSE"}
    nodes = [samples.deepseek_node(id_, above, n, (kinds[id_[0]], text)) for id_, above, text, n in chain(said, "root")]
    return [samples.deepseek_chat(*nodes)]


def grok(said: Sequence[str]) -> Json:
    return {"conversations": [samples.grok_chat(*(samples.grok_response(*one) for one in chain(said)))]}


def codex_cloud(said: Sequence[str]) -> list[Json]:
    found = [
        {
            "id": f"t{number}",
            "role": role,
            "input_items" if role == "user" else "output_items": [
                {"content": [{"content_type": "text", "text": text}]}
            ],
        }
        for number, role, text in turns(said)
    ]
    return [{"id": "task_1", "title": "Gate", "turns": found}]


def codex_cloud_single(said: Sequence[str]) -> Json:
    return {**codex_cloud(said)[0], "id": "task_2"}


def continued(said: Sequence[str]) -> Json:
    return test_local_chats.continued(*({"message": one} for one in messages(said)))


def goose(said: Sequence[str]) -> list[Json]:
    found = [{**one, "created": test_goose.AT + number} for number, one in enumerate(blocks(said))]
    return [test_goose.HEAD, *found]


def jan(path: Path, said: Sequence[str]) -> None:
    head = {"id": "t1", "object": "thread", "title": "Gate", "assistants": [], "created": 1_750_000_000}
    samples.write_json(path.with_name("thread.json"), head)
    samples.write_lines(
        path, [test_local_chats.jan_line(f"m{number}", role, text) for number, role, text in turns(said)]
    )


def lm_studio(said: Sequence[str]) -> Json:
    found = [
        {"versions": [test_local_chats.version(role, test_local_chats.text(text))], "currentlySelected": 0}
        for _, role, text in turns(said)
    ]
    return {"name": "Gate", "createdAt": test_local_chats.AT, "messages": found}


def lm_studio_steps(said: Sequence[str]) -> Json:
    """Return a chat in which answers consist of steps, as newer versions write it."""
    found = lm_studio(said)
    for one in found["messages"][1::2]:
        step = test_local_chats.block(test_local_chats.text(ANSWER))
        one["versions"] = [{"type": "multiStep", "role": "assistant", "steps": [step]}]
    return {**found, "createdAt": test_local_chats.AT + 1}


def opencode(said: Sequence[str]) -> Json:
    found = [
        {
            "info": test_opencode.message(number, role),
            "parts": [test_opencode.part(number, number, "text", text=text)],
        }
        for number, role, text in turns(said)
    ]
    return {"info": test_opencode.SESSION, "messages": found}


def zed(path: Path, said: Sequence[str]) -> None:
    found = [
        {"User": {"id": f"u{n}", "content": [{"Text": text}]}}
        if role == "user"
        else {"Agent": {"content": [{"Text": text}]}}
        for n, role, text in turns(said)
    ]
    test_zed.threads(path, ("t1", {"version": "0.3.0", "title": "Gate", "messages": found}))


def gemini_cli(said: Sequence[str]) -> list[Json]:
    kinds = {"user": "user", "assistant": "gemini"}
    return [
        samples.gemini_meta(),
        *(samples.gemini_line(number, kinds[role], text) for number, role, text in turns(said)),
    ]


def copilot_cli(said: Sequence[str]) -> list[Json]:
    start = samples.copilot_event(1, "session.start", sessionId="s1", startTime="2026-03-01T10:00:00.000Z")
    return [
        start,
        *(samples.copilot_event(number + 1, f"{role}.message", content=text) for number, role, text in turns(said)),
    ]


def aider(said: Sequence[str]) -> str:
    asked = "".join(f"#### {text}\n\n{ANSWER}\n\n" for text in said)
    return f"# aider chat started at 2025-02-01 10:00:00\n\n{asked}"


def aider_sessions(said: Sequence[str]) -> str:
    """Return a history with a session per statement."""
    return "".join(
        f"# aider chat started at 2025-02-0{number} 11:00:00\n\n> Aider v0.70\n\n#### {text}\n\n{ANSWER}\n\n"
        for number, text in enumerate(said, 1)
    )


def amp(said: Sequence[str]) -> Json:
    found = [test_other_agents.amp_message(n, role, {"type": "text", "text": text}) for n, role, text in turns(said)]
    return {"v": 9, "id": "T-1", "created": 1_770_000_000_000, "title": "Gate", "messages": found}


def cline(said: Sequence[str]) -> list[Json]:
    found = blocks(said)
    for one in found[::2]:
        tag = "task" if one is found[0] else "user_message"
        one["content"][0]["text"] = f"<{tag}>\n{one['content'][0]['text']}\n</{tag}>"
    return found


def vscode(said: Sequence[str]) -> Json:
    return samples.vscode_chat(
        *(samples.vscode_request(f"r{number}", text, {"value": ANSWER}) for number, text in enumerate(said))
    )


def qwen(said: Sequence[str]) -> list[Json]:
    return [samples.qwen_line(number, role, {"text": text}) for number, role, text in turns(said)]


def open_webui(said: Sequence[str]) -> list[Json]:
    found = [
        test_open_webui.turn(f"m{number}", f"m{number - 1}" if number > 1 else None, role, text)
        for number, role, text in turns(said)
    ]
    return [test_open_webui.chat("c1", *found)]


def librechat(said: Sequence[str]) -> Json:
    return samples.libre_chat(*(samples.libre_message(*one) for one in chain(said)))


def ai_studio(said: Sequence[str]) -> Json:
    roles = {"user": "user", "assistant": "model"}
    return samples.studio_chat(*(samples.studio_chunk(roles[role], text, number) for number, role, text in turns(said)))


def gemini(said: Sequence[str]) -> list[Json]:
    found = [
        samples.gemini_activity(f"Prompted {text}", f"<p>{ANSWER}</p>", f"2025-08-01T10:0{number}:00Z")
        for number, text in enumerate(said)
    ]
    return found[::-1]


def gemini_html(said: Sequence[str]) -> str:
    cells = [
        (f"Prompted {text}", f"Sep {number}, 2025, 10:00:00 AM UTC", f"<p>{ANSWER}</p>")
        for number, text in enumerate(said, 1)
    ]
    return samples.gemini_page(*cells[::-1])


def le_chat(said: Sequence[str]) -> list[Json]:
    return [samples.le_chat_message(id_, text, number) for id_, _, text, number in chain(said)]


def huggingchat(said: Sequence[str]) -> list[Json]:
    above: list[str] = ["s1"]
    found = [test_huggingchat.SYSTEM]
    for id_, _, text, number in chain(said):
        found.append(test_huggingchat.message(id_, list(above), text, number, files=[]))
        above.append(id_)
    return [test_huggingchat.chat_of(*found)]


def copilot(said: Sequence[str]) -> str:
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(test_copilot.HEADER)
    for number, words in reversed(list(enumerate(said))):
        at = f"2025-11-2{number}T09:00:00"
        table.writerows([("Gate", at, "AI", ANSWER), ("Gate", at, "Human", words)])
    return f"\ufeff{out.getvalue()}"


def perplexity(said: Sequence[str]) -> Json:
    return test_perplexity.thread(
        *(test_perplexity.entry(f"q{number}", text, ANSWER, number) for number, text in enumerate(said))
    )


def sharegpt(said: Sequence[str]) -> list[Json]:
    names = {"user": "human", "assistant": "gpt"}
    return [test_sharegpt.chat_of("7", *((names[role], text) for _, role, text in turns(said)))]


def sillytavern(said: Sequence[str]) -> list[Json]:
    names = {"user": "Ann", "assistant": "Assistant"}
    found = [test_sillytavern.message(names[role], text) for _, role, text in turns(said)]
    return [test_sillytavern.header("Assistant", integrity="tavern-9"), *found]


def letta(said: Sequence[str]) -> Json:
    found = [test_letta.said(role, text, number) for number, role, text in turns(said)]
    return {"agents": [{**test_letta.AGENT, "messages": found}], "blocks": [], "groups": [], "tools": []}


def telegram(said: Sequence[str]) -> Json:
    names = {"user": "Ann", "assistant": "Bob"}
    found = [test_telegram.post(number, names[role], text) for number, role, text in turns(said)]
    return test_telegram.chat("private_group", 9, "Club", *found)


def discord(said: Sequence[str]) -> Json:
    names = {"user": "ann_s", "assistant": "bob"}
    return test_discord.channel(*(test_discord.post(str(n), names[role], text) for n, role, text in turns(said)))


def whatsapp(said: Sequence[str]) -> str:
    names = {"user": "Ann", "assistant": "Bob"}
    return "".join(f"31/12/2023, 23:{number:02} - {names[role]}: {text}\n" for number, role, text in turns(said))


def slack(path: Path, said: Sequence[str]) -> None:
    samples.write_json(path.parents[1] / "users.json", test_slack.EXPORT["users.json"])
    names = {"user": "U1", "assistant": "U2"}
    found = [test_slack.said(names[role], text, f"170660000{n}.000100") for n, role, text in turns(said)]
    samples.write_json(path, found)


def notes(path: Path, said: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    for number, words in enumerate(said):
        row = {"schema": "curator_memory.v1", "uid": f"{number:032x}", "kind": "fact", "text": words}
        path.with_name(f"{number}.md").write_text(render_note(row))


def basic_memory(said: Sequence[str]) -> str:
    head = "---\ntitle: Habits\ntype: note\npermalink: habits\n---\n\n## Observations\n"
    return head + "".join(f"- [fact] {words}\n" for words in said)


def context(said: Sequence[str]) -> str:
    return "# Site\n\n" + "".join(f"- {words} in every project.\n" for words in said)


def mem0(said: Sequence[str]) -> list[Json]:
    return [{"id": f"m{number}", "memory": words, "user_id": "ann"} for number, words in enumerate(said)]


def mem0_paged(said: Sequence[str]) -> Json:
    """Return a page of memories, as the hosted service answers."""
    rows = [{**one, "id": f"p{one['id']}", "memory": f"{one['memory']} still"} for one in mem0(said)]
    return {"count": len(rows), "next": None, "previous": None, "results": rows}


def entities(said: Sequence[str]) -> list[Json]:
    return [
        {"type": "entity", "name": f"thing_{number}", "entityType": "thing", "observations": [words]}
        for number, words in enumerate(said)
    ]


def graph(said: Sequence[str]) -> Json:
    found = [{**one, "name": f"{one['name']}_b"} for one in entities(said)]
    return {"entities": found, "relations": []}


def memories(said: Sequence[str]) -> list[Json]:
    return [{"id": f"x{number}", "text": f"{words} gladly"} for number, words in enumerate(said)]


def ollama(path: Path, said: Sequence[str]) -> None:
    test_local_chats.ollama(path, *messages(said))


def ollama_thinking(path: Path, said: Sequence[str]) -> None:
    """Write a chat that includes the model's thoughts and has another title."""
    found = [
        {**one, "chat_id": "c1", "thinking": "Hm." if one["role"] == "assistant" else ""} for one in messages(said)
    ]
    test_local_chats.ollama(path, *found)


def hermes(path: Path, said: Sequence[str]) -> None:
    test_more_agents.hermes(path, *messages(said))


def hermes_json(said: Sequence[str]) -> Json:
    head = {"session_id": "h9", "session_start": "2026-02-25T06:13:20", "platform": "cli"}
    return {**head, "messages": messages(said)}


def devin(path: Path, said: Sequence[str]) -> None:
    found = [(number, number - 1 or None, one) for number, one in enumerate(messages(said), 1)]
    test_more_agents.devin(path, *found, main_chain_id=len(found))


def mastra(path: Path, said: Sequence[str]) -> None:
    found = [(role, {"format": 2, "parts": [{"type": "text", "text": words}]}) for _, role, words in turns(said)]
    test_more_agents.mastra(path, *found)


def mastra_plain(path: Path, said: Sequence[str]) -> None:
    """Write messages as earlier versions stored them."""
    test_more_agents.mastra(path, *((role, [{"type": "text", "text": words}]) for _, role, words in turns(said)))


def cursor(path: Path, said: Sequence[str]) -> None:
    kinds = {"user": 1, "assistant": 2}
    test_cursor.state(path, *(test_cursor.bubble(f"b{n}", kinds[role], words) for n, role, words in turns(said)))


def openrouter(said: Sequence[str]) -> Json:
    names = {"user": "USER", "assistant": "c"}
    return test_more_agents.openrouter(*((names[role], "", words) for _, role, words in turns(said)))


def dti(said: Sequence[str]) -> Json:
    names = {"user": "ann@example.org", "assistant": "AI"}
    return test_more_agents.dti(*((names[role], words) for _, role, words in turns(said)))


def goose_database(path: Path, said: Sequence[str]) -> None:
    test_goose.database(path, [{**one, "created": test_goose.AT + n} for n, one in enumerate(blocks(said))])


def opencode_database(path: Path, said: Sequence[str]) -> None:
    found = opencode(said)["messages"]
    heads = [{key: one["info"][key] for key in ("id", "sessionID")} | {"data": one["info"]} for one in found]
    parts = [part for one in found for part in one["parts"]]
    write_tables(
        path,
        {
            "session": [{"id": "ses_1", "directory": "/home/ann/shop", "title": "Tools", "revert": None}],
            "message": [{"id": one["id"], "session_id": "ses_1", "data": one["data"]} for one in heads],
            "part": [
                {"id": one["id"], "session_id": "ses_1", "message_id": one["messageID"], "data": one} for one in parts
            ],
        },
    )


def webui(path: Path, said: Sequence[str]) -> None:
    test_open_webui.webui(path, *open_webui(said))
