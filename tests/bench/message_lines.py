"""Print precision and recall of the rule distiller on labelled messages that nothing was fitted on.

python tests/bench/message_lines.py            of `tests/distill/typed_held.txt` and `long_held.txt`
python tests/bench/message_lines.py --words    without the classifier of sentences
python tests/bench/message_lines.py FILE       of another file in their format

The first has messages of five people typed in a hurry, the second long conversations of six, in which one sentence in
eight lasts. A memory counts for the sentence that it mostly covers. Texts are not printed: the files are proof only as
long as nobody has read where the rules fail on them.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from curator.distill.rules import distil
from curator.distill.scores.chats import SentenceClassifier, sentence_classifier

sys.path.insert(0, str(Path(__file__).parents[1]))
from factories import CHAT, TURN

FOLDER = Path(__file__).parents[1] / "distill"
PASSING = ("nothing", "passing")
Sentence = tuple[str, str]
"""Label and text."""
Span = tuple[int, int]


def conversations(file: Path) -> Iterator[list[list[Sentence]]]:
    """Yield the messages of each conversation, as lists of sentences."""
    messages: list[list[Sentence]] = []
    for block in file.read_text("utf-8").split("\n\n"):
        lines = block.splitlines()
        if messages and lines and lines[0].startswith("# "):
            yield messages
            messages = []
        sentences = [line.partition("\t") for line in lines if line and line[0] != "#"]
        if sentences:
            messages.append([(label, text) for label, _, text in sentences])
    yield messages


def joined(message: list[Sentence]) -> tuple[str, list[Span]]:
    """Return the text of a message and the span of each sentence; a sentence without a full stop ends its line."""
    text, spans = "", list[Span]()
    for _, said in message:
        text += "" if not text else " " if text.endswith((".", "?", "!", "…", ")", '"', "”")) else "\n"
        spans.append((len(text), len(text) + len(said)))
        text += said
    return text, spans


def judged(messages: list[list[Sentence]], classifier: SentenceClassifier | None) -> Iterator[tuple[str, bool]]:
    """Yield the label of each sentence of a conversation, and whether it gives a memory."""
    texts = [joined(message) for message in messages]
    turns = [replace(TURN, id=at, ordinal=at, text=text, created_at=None) for at, (text, _) in enumerate(texts)]
    kept = {
        (one.message, max(spans, key=lambda span: min(one.end, span[1]) - max(one.start, span[0])))
        for one in distil(CHAT, turns, classifier=classifier, after=-1).candidates
        for spans in [texts[one.message][1]]
    }
    for at, message in enumerate(messages):
        for (label, _), span in zip(message, texts[at][1], strict=True):
            yield label, (at, span) in kept


def main() -> None:
    """Print the figures of each file."""
    classifier = None if "--words" in sys.argv else sentence_classifier()
    files = [Path(name) for name in sys.argv[1:] if name != "--words"]
    for file in files or [FOLDER / "typed_held.txt", FOLDER / "long_held.txt"]:
        known = [one for messages in conversations(file) for one in judged(messages, classifier)]
        right = sum(is_kept and label not in PASSING for label, is_kept in known)
        lasting = sum(label not in PASSING for label, _ in known)
        orders = [is_kept for label, is_kept in known if label in ("order", "request")]
        kept = sum(is_kept for _, is_kept in known)
        print(f"{file.name}: {len(known)} sentences, {lasting} lasting")
        print(f"  precision {right / kept:.3f} ({right}/{kept})  recall {right / lasting:.3f}")
        print(f"  orders and requests to remember {sum(orders) / len(orders):.3f} ({sum(orders)}/{len(orders)})")


if __name__ == "__main__":
    main()
