"""Print precision and recall of the rule distiller on messages typed in a hurry by five people.

python tests/bench/typed_lines.py            of `tests/distill/typed_held.txt`
python tests/bench/typed_lines.py --words    without the classifier of sentences

Nothing was fitted on them. Each message is read as one of a chat. What is kept counts for the sentence that it covers
most of. Texts are not printed: the file is proof only as long as nobody has read where the rules fail on it.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from curator.distill.chat_score import SentenceClassifier, sentence_classifier
from curator.distill.rules import distil

sys.path.insert(0, str(Path(__file__).parents[1]))
from factories import CHAT, TURN

FILE = Path(__file__).parents[1] / "distill" / "typed_held.txt"
PASSING = ("nothing", "passing")
Sentence = tuple[str, str]
"""Label and text."""


def messages() -> Iterator[list[Sentence]]:
    """Yield the sentences of each message."""
    for block in FILE.read_text("utf-8").split("\n\n"):
        lines = [line.partition("\t") for line in block.splitlines() if line and line[0] != "#"]
        if lines:
            yield [(label, text) for label, _, text in lines]


def kept(message: list[Sentence], classifier: SentenceClassifier | None) -> set[int]:
    """Return the places of the sentences that give a memory."""
    text = "\n".join(said for _, said in message)
    starts = [sum(len(said) + 1 for _, said in message[:place]) for place in range(len(message))]
    ends = [start + len(said) for start, (_, said) in zip(starts, message, strict=True)]
    found = distil(CHAT, [replace(TURN, text=text)], classifier=classifier, after=-1).candidates
    return {
        max(range(len(message)), key=lambda place: min(one.end, ends[place]) - max(one.start, starts[place]))
        for one in found
    }


def main() -> None:
    """Print the figures."""
    classifier = None if "--words" in sys.argv else sentence_classifier()
    judged = [
        (label, place in found)
        for message in messages()
        for found in [kept(message, classifier)]
        for place, (label, _) in enumerate(message)
    ]
    right = sum(is_kept and label not in PASSING for label, is_kept in judged)
    lasting = sum(label not in PASSING for label, _ in judged)
    orders = [is_kept for label, is_kept in judged if label in ("order", "request")]
    all_kept = sum(is_kept for _, is_kept in judged)
    print(f"{len(judged)} sentences, {lasting} lasting")
    print(f"  precision {right / all_kept:.3f} ({right}/{all_kept})  recall {right / lasting:.3f}")
    print(f"  orders and requests to remember {sum(orders) / len(orders):.3f} ({sum(orders)}/{len(orders)})")


if __name__ == "__main__":
    main()
