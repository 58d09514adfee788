"""Sentences in ten languages: requests to remember, standing orders, statements about oneself, and near misses.

    PYTHONPATH=tests python tests/distill/other_languages.py tune

`tune.tsv` is for making rules, `held.tsv` for measuring them: no rule is made for one of its sentences. Both were
written before the rules.
"""

import sys
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from curator.distill.candidate import Distilled
from curator.distill.rules import distil
from factories import CHAT, TURN
from store.model import Conversation

ASKED = ("request", "order")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A labelled sentence; `label` is request, order, statement or nothing."""

    language: str
    label: str
    text: str


def labelled(name: str) -> list[Sentence]:
    """Return the sentences of `tune` or `held`."""
    rows = (Path(__file__).parent / "languages" / f"{name}.tsv").read_text("utf-8").splitlines()
    return [Sentence(*row.split("\t")) for row in rows]


def typed(text: str, conversation: Conversation = CHAT) -> Distilled:
    """Distil one message of the person."""
    message = replace(TURN, text=text, created_at=None)
    return distil(conversation, [message])


def figures(judged: list[tuple[Sentence, bool]]) -> tuple[float, float, float]:
    """Return the recall of requests and orders, the recall of statements, and the share of near misses kept."""

    def share(*labels: str) -> float:
        kept = [keeps for sentence, keeps in judged if sentence.label in labels]
        return sum(kept) / max(1, len(kept))

    return share(*ASKED), share("statement"), share("nothing")


def main(name: str) -> None:
    """Print the figures of each language, and for `tune` also the errors."""
    judged: defaultdict[str, list[tuple[Sentence, bool]]] = defaultdict(list)
    for one in labelled(name):
        found = typed(one.text)
        keeps = bool(found.candidates)
        judged[one.language].append((one, keeps))
        judged["all"].append((one, keeps))
        if name == "tune" and keeps != (one.label != "nothing"):
            print(one.language, one.label, one.text, [(kept.rule, kept.text) for kept in found.candidates], sep=" | ")
        for kept in found.candidates if name == "tune" else ():
            sort = "request" if kept.importance == 10 else "order" if kept.standing else "statement"
            if sort != one.label or kept.flag:
                print(one.language, one.label, one.text, f"kept as {sort}, {kept.rule}, {kept.flag}", sep=" | ")
    print(f"{'':6}requests and orders  statements  false alarms")
    for language, rows in judged.items():
        print(f"{language:6}{figures(rows)[0]:19.0%}{figures(rows)[1]:12.0%}{figures(rows)[2]:14.0%}")


if __name__ == "__main__":
    main(sys.argv[1])
