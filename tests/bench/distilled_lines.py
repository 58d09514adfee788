"""Print precision and recall of the rule distiller on labelled sentences of whole conversations.

python tests/bench/distilled_lines.py --texts FOLDER            FOLDER has samples/long_chats and eval/memories.jsonl
python tests/bench/distilled_lines.py --texts FOLDER --misses   also prints the errors of the tuning part

Without FOLDER only the labels of the demo logs and the requests are read. Texts of the held-out part are never printed:
it is proof only as long as nobody has read where the rules fail on it. Intervals are Wilson's, 95 %.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from curator.distill.candidate import Candidate, Distilled
from curator.distill.collector import UNLIKELY
from curator.distill.rules import distil
from curator.distill.scores.chats import sentence_classifier

sys.path.insert(0, str(Path(__file__).parents[1]))
from factories import CHAT, TURN

ROOT = Path(__file__).parents[2]
LABELS = ROOT / "tests" / "distill" / "labels"
DEMO = ROOT / "curator" / "demo" / "logs"
HALVES = ("tune", "held")
ASKED = 10
"""Importance of memories that the person asked to keep."""
Texts = Mapping[tuple[str, str], Mapping[str, str]]
"""The person's messages, by source and conversation, in order."""


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled sentence: characters `start` to `end` of a message."""

    source: str
    conversation: str
    message: str
    start: int
    end: int
    label: str  # lasting, passing, nothing; `end` marks where the labels of a message stop
    kind: str
    doubt: bool
    enriched: bool

    def overlaps(self, start: int, end: int) -> bool:
        """Return True if half of the shorter of the two spans is in the other."""
        return 2 * (min(end, self.end) - max(start, self.start)) >= max(1, min(end - start, self.end - self.start))


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate, with the label of the sentence it mostly covers."""

    candidate: Candidate
    row: Row
    lasting: bool
    text: str


@dataclass(frozen=True, slots=True)
class Missed:
    """A lasting sentence without a candidate, and the reasons for refusing its parts."""

    row: Row
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Judged:
    """The distiller's results on the labelled sentences of a half."""

    candidates: tuple[Found, ...]
    kept: tuple[Row, ...]
    missed: tuple[Missed, ...]


def rows_of(half: str) -> list[Row]:
    """Return the labelled sentences of a half."""
    found: list[Row] = []
    enriched = False
    for line in (LABELS / f"{half}.tsv").read_text("utf-8").splitlines():
        if line.startswith("#"):
            low = line.lower()
            enriched = "enriched" in low if "part" in low else enriched
        elif line.strip():
            source, conversation, message, start, end, label, kind, why = line.split("\t")
            found.append(
                Row(source, conversation, message, int(start), int(end), label, kind, why == "doubt", enriched)
            )
    return found


def long_chats(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield conversation, message and text of the long chats, or of any ChatGPT export."""
    for chat in json.loads((folder / "conversations.json").read_text("utf-8")):
        for node in chat["mapping"].values():
            message = node["message"]
            if message and message["author"]["role"] == "user":
                parts = message["content"].get("parts", [])
                name = chat.get("conversation_id") or chat.get("id")
                yield name, message["id"], "".join(part for part in parts if isinstance(part, str))


def demo() -> Iterator[tuple[str, str, str]]:
    """Yield conversation, message and text of the demo logs."""
    yield from long_chats(DEMO / "chatgpt")
    for chat in json.loads((DEMO / "claude" / "conversations.json").read_text("utf-8")):
        for message in chat["chat_messages"]:
            if message["sender"] == "human":
                yield chat["uuid"], message["uuid"], message["text"]
    for log in sorted((DEMO / "claude-code").rglob("*.jsonl")):
        for entry in map(json.loads, log.read_text("utf-8").splitlines()):
            if entry.get("type") == "user" and not entry.get("isMeta"):
                content: Any = entry["message"]["content"]
                blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
                text = "".join(block["text"] for block in blocks if block["type"] == "text")
                yield entry["sessionId"], entry["uuid"], text
    for number, line in enumerate((DEMO / "openai" / "messages.jsonl").read_text("utf-8").splitlines()):
        turns = [turn for turn in json.loads(line)["messages"] if turn["role"] == "user"]
        yield from (("messages.jsonl", f"{number}/{at}", turn["content"]) for at, turn in enumerate(turns))
    for page in sorted((DEMO / "markdown").glob("*.md")):
        turns = page.read_text("utf-8").split("\n## ")[1:]
        said = [turn.partition("\n")[2].strip() for turn in turns if turn.startswith("Human\n")]
        yield from ((page.name, str(at), text) for at, text in enumerate(said))


def texts_of(folder: Path | None) -> Texts:
    """Return the messages of all sources, or only of the demo without `folder`."""
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for conversation, message, text in demo():
        found["demo", conversation][message] = text
    if folder is not None:
        for conversation, message, text in long_chats(folder / "samples" / "long_chats"):
            found["long_chats", conversation][message] = text
        for line in (folder / "eval" / "memories.jsonl").read_text("utf-8").splitlines():
            turn = json.loads(line)
            found["locomo", turn["project"]][turn["id"]] = turn["text"].split(": ", 1)[1]
    return found


def read(texts: Iterable[str], agent: bool) -> Distilled:
    """Distil a conversation with these messages of the person."""
    messages = [replace(TURN, id=at, ordinal=at, text=text, created_at=None) for at, text in enumerate(texts)]
    classifier = None if "--words" in sys.argv else sentence_classifier()
    return distil(replace(CHAT, agent=agent), messages, classifier=classifier, after=-1)


def judged(rows: Sequence[Row], texts: Texts) -> Judged:
    """Distil each labelled conversation and compare the result with the labels."""
    candidates: list[Found] = []
    kept: list[Row] = []
    missed: list[Missed] = []
    agents = {json.loads(log.read_text("utf-8").splitlines()[-1]).get("sessionId") for log in DEMO.rglob("*/*/*.jsonl")}
    for source, conversation in dict.fromkeys((row.source, row.conversation) for row in rows):
        messages = texts.get((source, conversation))
        if messages is None:
            continue
        names = list(messages)
        found = read(messages.values(), source == "demo" and conversation in agents)
        here = [row for row in rows if (row.source, row.conversation) == (source, conversation)]
        for one in found.candidates:
            over = [row for row in here if row.message == names[one.message] and row.overlaps(one.start, one.end)]
            over = [row for row in over if row.label != "end"]
            if over:
                most = max(over, key=lambda row: min(one.end, row.end) - max(one.start, row.start))
                lasting = [row for row in over if row.label == "lasting"]
                best = next((row for row in lasting if not row.doubt), most)
                candidates.append(Found(one, best, bool(lasting), one.quote))
        for row in here:
            if row.label != "lasting":
                continue
            number = names.index(row.message)
            if any(one.message == number and row.overlaps(one.start, one.end) for one in found.candidates):
                kept.append(row)
                continue
            reasons = [
                refusal.reason
                for refusal in found.refusals
                if refusal.message == number and refusal.start < row.end and refusal.end > row.start
            ]
            text = messages[row.message][row.start : row.end]
            missed.append(Missed(row, "+".join(dict.fromkeys(reasons)) or "none", text))
    return Judged(tuple(candidates), tuple(kept), tuple(missed))


def share(part: int, whole: int) -> str:
    """Return a share with its confidence interval."""
    if not whole:
        return "    -"
    rate, z = part / whole, 1.96
    middle = (rate + z * z / (2 * whole)) / (1 + z * z / whole)
    half = z / (1 + z * z / whole) * (rate * (1 - rate) / whole + z * z / (4 * whole * whole)) ** 0.5
    return f"{rate:.3f} [{max(0, middle - half):.2f}-{min(1, middle + half):.2f}] {part}/{whole}"


def show(name: str, judged: Judged) -> None:
    """Print precision and recall of the clear rows, then of the doubtful ones."""
    for doubt in (False, True):
        found = [one.lasting for one in judged.candidates if one.row.doubt is doubt]
        kept = sum(row.doubt is doubt for row in judged.kept)
        lost = sum(one.row.doubt is doubt for one in judged.missed)
        if found or kept + lost:
            print(
                f"  {name + (' (doubt)' if doubt else ''):26}precision {share(sum(found), len(found)):30}"
                f"recall {share(kept, kept + lost)}"
            )


def show_tables(all_of: Judged) -> None:
    """Print recall by kind, reasons for misses, and precision by family, all without doubtful rows."""
    kept = Counter(row.kind for row in all_of.kept if not row.doubt)
    lost = Counter(one.row.kind for one in all_of.missed if not one.row.doubt)
    print("  recall by kind:")
    for kind, _ in (kept + lost).most_common():
        print(f"    {kind:12}{share(kept[kind], kept[kind] + lost[kind])}")
    reasons = Counter(one.reason for one in all_of.missed if not one.row.doubt)
    print("  missed by reason: " + "  ".join(f"{reason} {count}" for reason, count in reasons.most_common(14)))
    good: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for one in all_of.candidates:
        if not one.row.doubt:
            total[one.candidate.rule or "remember"] += 1
            good[one.candidate.rule or "remember"] += one.lasting
    doubted = [one.lasting for one in all_of.candidates if one.candidate.confidence < UNLIKELY and not one.row.doubt]
    print(f"  precision of candidates rated unlikely to last: {share(sum(doubted), len(doubted))}")
    print("  precision by family:")
    for family, count in total.most_common():
        print(f"    {family:24}{share(good[family], count)}")


def requests_of(half: str) -> list[tuple[str, str]]:
    """Return label (order, request or -) and text of our standing orders, requests to remember and near misses."""
    lines = (LABELS / f"requests_{half}.tsv").read_text("utf-8").splitlines()
    return [(label, text) for label, text in (line.split("\t") for line in lines if line and line[0] != "#")]


def kept_requests(half: str, agent: bool) -> list[tuple[str, str, bool]]:
    """Return label, text and whether it is kept; near misses count only if taken for an order or request."""
    found = []
    for label, text in requests_of(half):
        candidates = read([text], agent).candidates
        asked = any(one.standing or one.importance == ASKED for one in candidates)
        found.append((label, text, asked if label == "-" else bool(candidates)))
    return found


def show_requests(half: str, misses: bool) -> None:
    """Print recall of orders and requests, and near misses taken for them, in chats and in sessions."""
    for agent in (False, True):
        found = kept_requests(half, agent)
        for name, label in (("orders", "order"), ("requests", "request"), ("false alarms", "-")):
            kept = [keeps for other, _, keeps in found if other == label]
            print(f"  {'session' if agent else 'chat'} {name:14}{share(sum(kept), len(kept))}")
        for label, text, keeps in found if misses else ():
            if keeps is (label == "-"):
                print(f"    {'alarm' if keeps else 'missed':7}{label:9}{text}")


def only(judged: Judged, **wanted: object) -> Judged:
    """Return the results for the rows with these field values."""

    def fits(row: Row) -> bool:
        return all(getattr(row, name) == value for name, value in wanted.items())

    return Judged(
        tuple(one for one in judged.candidates if fits(one.row)),
        tuple(row for row in judged.kept if fits(row)),
        tuple(one for one in judged.missed if fits(one.row)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, help="folder of the public texts")
    parser.add_argument("--misses", action="store_true", help="print the errors of the part for tuning")
    parser.add_argument("--words", action="store_true", help="without the classifier of sentences")
    asked = parser.parse_args()
    texts = texts_of(asked.texts)
    for half in HALVES:
        if not (LABELS / f"{half}.tsv").exists():
            continue
        found = judged(rows_of(half), texts)
        print(f"{half}:")
        show("all", found)
        for enriched in (False, True):
            show("enriched" if enriched else "fair", only(found, enriched=enriched))
        for source in dict.fromkeys(source for source, _ in texts):
            show(source, only(found, source=source))
        show_tables(found)
        show_requests(half, asked.misses and half == "tune")
        if asked.misses and half == "tune":
            for one in found.candidates:
                if not one.lasting:
                    print(f"    kept   {one.row.label:8}{one.row.doubt:2}{one.candidate.rule:18}{one.text!r}")
            for miss in found.missed:
                print(f"    missed {miss.row.kind:9}{miss.row.doubt:2}{miss.reason:18}{miss.text!r}")


if __name__ == "__main__":
    main()
