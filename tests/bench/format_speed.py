"""Measure how fast the logs of each text format are parsed, redacted and stored.

    python tests/bench/format_speed.py              # 10 MB of every format
    python tests/bench/format_speed.py --megabytes 40 whatsapp slack
    python tests/bench/format_speed.py --profile whatsapp

Prints megabytes per second of processor and elapsed time, less those of an import of a tiny log, and the peak memory.
Messages are as long as in such chats: a sentence or two between people, paragraphs with code from an assistant.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

sys.path.insert(0, str(Path(__file__).parents[1]))

from format_logs import SESSIONS, START, grok
from importers import sample_logs as logs
from installed import environment
from stores import texts

_CODE = "```python\ndef area(width: int, height: int) -> int:\n    return width * height\n```"


class Speech:
    """Made-up messages, the same for each format every time."""

    def __init__(self) -> None:
        self._chance = random.Random(1)
        self._sentences = list(texts(20_000, seed=2))

    def short(self) -> str:
        return " ".join(self._chance.choices(self._sentences, k=self._chance.randrange(1, 3)))

    def turn(self, number: int) -> str:
        if number % 2 == 0:
            return " ".join(self._chance.choices(self._sentences, k=self._chance.randrange(1, 4)))
        said = " ".join(self._chance.choices(self._sentences, k=self._chance.randrange(8, 25)))
        return f"{said}\n{_CODE}" if self._chance.random() < 0.3 else said

    def turns(self) -> list[str]:
        return [self.turn(number) for number in range(self._chance.randrange(2, 30))]


_PLACE = re.compile(rf"({logs.uuid(0)[:24]}\d{{12}})-(\w{{1,4}})")


def _with_uuids(log: str) -> str:
    """Return a log with UUIDs as the ids of its messages, as these programs write them."""
    return _PLACE.sub(lambda found: str(uuid5(UUID(found[1]), found[2])), log)


def _moment(name: str, number: int) -> datetime:
    """Return the time of a message in the chat with this UUID."""
    return START + timedelta(minutes=int(name[-12:]), seconds=number)


def _webui(name: str, said: list[str]) -> logs.Json:
    turns: dict[str, logs.Json] = {
        f"{name}-{place}": {
            "id": f"{name}-{place}",
            "parentId": f"{name}-{place - 1}" if place else None,
            "childrenIds": [],
            "role": "assistant" if place % 2 else "user",
            "content": text,
            "timestamp": 1_740_000_000 + place,
        }
        for place, text in enumerate(said)
    }
    history = {"messages": turns, "currentId": f"{name}-{len(said) - 1}"}
    return {"id": name, "user_id": "u1", "title": name, "chat": {"title": name, "history": history, "messages": []}}


def _roles(said: list[str], own: str, other: str, role: str, text: str) -> list[logs.Json]:
    return [{role: other if place % 2 else own, text: one} for place, one in enumerate(said)]


def _named(said: list[str]) -> Iterator[tuple[str, str | None, str, int]]:
    """Yield id, previous id, text and number of each turn; ids of the person begin with "u"."""
    before = None
    for place, text in enumerate(said):
        name = f"{'a' if place % 2 else 'u'}{place}"
        yield name, before, text, place
        before = name


def _deepseek(name: str, said: list[str]) -> logs.Json:
    nodes = [
        logs.deepseek_node(
            str(place + 1), str(place) if place else "root", 0, ("RESPONSE" if place % 2 else "REQUEST", one)
        )
        for place, one in enumerate(said)
    ]
    return logs.deepseek_chat(*nodes, id=name)


CHATS: dict[str, Callable[[str, list[str]], object]] = {
    "chatgpt": lambda name, said: logs.gpt_chat(name, *said),
    "claude": lambda name, said: logs.claude_chat(name, *said),
    "open-webui": _webui,
    "librechat": lambda name, said: logs.libre_chat(
        *(logs.libre_message(id_, up, text, at) for id_, up, text, at in _named(said)), conversationId=name
    ),
    "grok": grok,
    "deepseek": _deepseek,
    "sharegpt": lambda name, said: {"id": name, "conversations": _roles(said, "human", "gpt", "from", "value")},
    "openai": lambda name, said: {"messages": _roles(said, "user", "assistant", "role", "content")},
    "le-chat": lambda name, said: [
        logs.le_chat_message(id_, text, at, chatId=name) for id_, _, text, at in _named(said)
    ],
    "ai-studio": lambda name, said: logs.studio_chat(
        *(
            logs.studio_chunk(
                "model" if at % 2 else "user", text, createTime=f"{_moment(name, at).isoformat()[:19]}.250Z"
            )
            for _, _, text, at in _named(said)
        )
    ),
    "markdown": lambda name, said: "".join(
        f"## {'Assistant' if place % 2 else 'User'}\n\n{one}\n\n" for place, one in enumerate(said)
    ),
}
"""Formats for single chats; a list of chats makes one file, or one file each for those in `ALONE`."""
ALONE = {"openai": ".json", "le-chat": ".json", "ai-studio": ".json", "markdown": ".md", "librechat": ".json"}

TOGETHER = {"aider": 50}
"""Sessions per file, for programs that append all sessions of a project to one file."""


def _posts(name: str, speech: Speech, size: int) -> Iterator[tuple[datetime, str, str, int]]:
    """Yield time, author, text and number of messages between people, one a minute, up to `size` bytes."""
    written = 0
    for number in count():
        text = speech.short()
        yield START + timedelta(minutes=number), ("Ann", "Bob", "Cy")[number % 3], text, number
        written += len(text)
        if written > size:
            return


def _whatsapp(folder: Path, posts: Iterator[tuple[datetime, str, str, int]]) -> Path:
    path = folder / "WhatsApp Chat with Bob.txt"
    path.write_text("".join(f"{at:%d/%m/%Y, %H:%M} - {who}: {text}\n" for at, who, text, _ in posts))
    return path


def _slack(folder: Path, posts: Iterator[tuple[datetime, str, str, int]]) -> Path:
    ids = {"Ann": "U1", "Bob": "U2", "Cy": "U3"}
    users = [{"id": id_, "team_id": "T1", "profile": {"display_name": name}} for name, id_ in ids.items()]
    logs.write_json(folder / "users.json", users)
    days: dict[str, list[logs.Json]] = {}
    for at, who, text, _ in posts:
        ts = f"{at.timestamp():.0f}.000100"
        days.setdefault(f"{at:%Y-%m-%d}", []).append({"type": "message", "user": ids[who], "text": text, "ts": ts})
    for day, said in days.items():
        logs.write_json(folder / "general" / f"{day}.json", said)
    return folder


def _telegram(folder: Path, posts: Iterator[tuple[datetime, str, str, int]]) -> Path:
    messages = [
        {
            "id": number,
            "type": "message",
            "date": f"{at:%Y-%m-%dT%H:%M:%S}",
            "date_unixtime": f"{at.timestamp():.0f}",
            "from": who,
            "from_id": f"user{len(who)}{who[0]}",
            "text": text,
        }
        for at, who, text, number in posts
    ]
    return logs.write_json(
        folder / "result.json", {"name": "Bob", "type": "personal_chat", "id": 6, "messages": messages}
    )


def _discord(folder: Path, posts: Iterator[tuple[datetime, str, str, int]]) -> Path:
    messages = [
        {
            "id": str(number),
            "type": "Default",
            "timestamp": at.isoformat(),
            "content": text,
            "author": {"id": who, "name": who, "nickname": who, "isBot": False},
        }
        for at, who, text, number in posts
    ]
    channel = {"id": "77", "type": "GuildTextChat", "category": "Text", "name": "tools", "topic": None}
    guild = {"id": "1", "name": "Gardeners"}
    return logs.write_json(folder / "tools.json", {"guild": guild, "channel": channel, "messages": messages})


def _gemini(folder: Path, posts: Iterator[tuple[datetime, str, str, int]]) -> Path:
    speech = Speech()
    answers = (f"<p>{speech.turn(1)}</p>" for _ in count())
    said = [
        logs.gemini_activity(f"Prompted {text}", next(answers), f"{at:%Y-%m-%dT%H:%M:%S}.000Z")
        for at, _, text, number in posts
        if number % 8 == 0
    ]
    return logs.write_json(folder / "My Activity.json", said[::-1])


PEOPLE: dict[str, Callable[[Path, Iterator[tuple[datetime, str, str, int]]], Path]] = {
    "whatsapp": _whatsapp,
    "slack": _slack,
    "telegram": _telegram,
    "discord": _discord,
    "gemini": _gemini,
}


def write(name: str, folder: Path, size: int) -> Path:
    """Write a log of about `size` bytes in a format into a folder, and return the path to import."""
    folder.mkdir()
    speech = Speech()
    if name in PEOPLE:
        return PEOPLE[name](folder, _posts(name, speech, size))
    chats: list[Any] = []
    written = 0
    for number in count():
        said = speech.turns()
        if name in SESSIONS:
            file, made = SESSIONS[name]
            path = folder / file.format(logs.uuid(number // TOGETHER.get(name, 1)))
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as log:
                log.write(made(logs.uuid(number), said))
        else:
            chats.append(CHATS[name](logs.uuid(number), said))
        written += sum(map(len, said)) * (2 if name == "claude" else 1)
        if written > size:
            break
    for number, one in enumerate(chats):
        if name in ALONE:
            text = one if isinstance(one, str) else json.dumps(one)
            (folder / f"{number}{ALONE[name]}").write_text(_with_uuids(text))
    if name in SESSIONS or name in ALONE:
        return folder
    path = folder / "conversations.json"
    path.write_text(_with_uuids(json.dumps({"conversations": chats} if name == "grok" else chats)))
    return path


def run(path: Path, home: Path, profile: bool = False) -> tuple[float, float, float, str]:
    """Import a path; return seconds of processor and elapsed time, peak megabytes, and the command's output."""
    began = time.perf_counter()
    words = ["-m", "cProfile", "-s", "tottime"] if profile else []
    command = [sys.executable, *words, "-m", "curator", "import", str(path), "--no-distil", "--json", "--me", "Ann"]
    with subprocess.Popen(command, env=environment(home), stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        said = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}\n{said}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss / 1024, said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [*CHATS, *SESSIONS, *PEOPLE]
    parser.add_argument("formats", nargs="*", help=f"of {', '.join(names)}; all by default")
    parser.add_argument("--megabytes", type=int, default=10)
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as temporary:
        folder = Path(temporary)
        nothing = logs.write_json(folder / "one.json", [logs.gpt_chat("one", "Hello")])
        base = [
            min(times)
            for times in zip(*(run(nothing, folder / f"home-{number}")[:2] for number in range(4)), strict=True)
        ]
        print(f"{'':14}{'MB':>6}{'MB/s cpu':>10}{'MB/s clock':>11}{'peak MB':>9}")
        for name in given.formats or names:
            with ProcessPoolExecutor(1) as writer:  # a child's peak includes the memory of the process that forks it
                path = writer.submit(write, name, folder / name, given.megabytes * 1_000_000).result()
            files = path.rglob("*") if path.is_dir() else [path]
            size = sum(file.stat().st_size for file in files if file.is_file()) / 1e6
            cpu, clock, peak, said = run(path, folder / f"home {name}", given.profile)
            if given.profile:
                print(said[:6000])
            stored = 0 if given.profile else sum(json.loads(said)["messages"].values())
            speeds = f"{size / max(cpu - base[0], 0.01):10.1f}{size / max(clock - base[1], 0.01):11.1f}"
            print(f"{name:14}{size:6.1f}{speeds}{peak:9.0f}  {stored:,} messages", flush=True)


if __name__ == "__main__":
    main()
