"""The subjects of prompts to which safety facts matter, by their words and by examples of a similar meaning.

Words find the subject of fewer than half of the prompts that need a safety fact: "recommend a microwave" needs that
somebody is blind. So a prompt is compared with prompts of known subjects, a third of them of none, which were written
for it (`tests/bench/subject_prompts.tsv`) and embedded by `tests/bench/embed_subjects.py`. The figures below are of
examples that are compared with the other four fifths of them.
"""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from curator.models import Embedder
from curator.safety.subjects import SUBJECTS, subjects_of, without_places
from curator.text import plain_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAREST = 4
"""Examples of a subject whose mean cosine counts.

At the threshold that finds .8 of the subjects, each is also found in .021 of the prompts without any; with two
examples in .029. By a logistic regression it is found in .037, by a kernel ridge regression in .032, but with fewer
others besides the right one (1.4 instead of 2.9 per prompt, which `GAP` reduces).
"""
OF_NONE = 0.7
"""Weight of the mean cosine of the nearest examples without a subject, which is subtracted."""
LIKELY = 0.18
"""Minimum score of a subject.

With .12, .71 of the right ones are found and each in .012 of the prompts without any; but of 600 prompts of people who
need few safety facts (`needed.py`) 69 got one that they needed and 401 one that they did not, with .18 64 and 255.
"""
GAP = 0.14
"""Maximum distance from the best score: .70 are found instead of .71, and a sixth fewer others besides."""
UNLIKELY = 0.0
"""Maximum score of a subject that is not accepted although the prompt has a word of it, as in "pizza theorem".

Not for prompts that no example resembles (`RESEMBLED`), or in other languages.
"""
_FOREIGN = frozenset(
    "al avec che con czy das de del der des di du een el em est et für het ich il ist la las le les los mit na não per"
    " por posso pour que se si się sie un una und van voor wie wir".split()
)
"""Function words of other languages; a letter that is not ASCII counts as one, too."""
RESEMBLED = 0.3
"""Minimum mean cosine by which examples resemble a prompt."""
UNRELATED = 0.08
"""Minimum distance by which the examples without a subject resemble a prompt more than those of any."""
_FILE = Path(__file__).with_name("prompt_subjects.npz")
_FOUND_AS = {"travel": ("travel", "journey"), "care": ("care", "emergency")}
"""Subjects whose examples are also those of another."""


@dataclass(frozen=True, slots=True)
class PromptSubjects:
    """The subjects of a prompt; `unrelated` if it clearly has none, whatever words it shares with a safety fact."""

    subjects: tuple[str, ...]
    unrelated: bool = False


def has_examples(embedder: Embedder) -> bool:
    """Return True if the examples can be compared with the vectors of an embedder."""
    from curator.models.minilm import FINGERPRINT

    return embedder.fingerprint == FINGERPRINT


def prompt_subjects(prompt: str, vector: "NDArray[np.float32] | None") -> PromptSubjects:
    """Return the subjects of a prompt, by its words and, if it has a vector, by the examples nearest to it."""
    by_words = subjects_of(prompt)
    if vector is None:
        return PromptSubjects(by_words)
    cosines = nearness(vector)
    none = cosines.pop("")
    scores = {
        one: cosine - OF_NONE * none
        for subject, cosine in cosines.items()
        for one in _FOUND_AS.get(subject, (subject,))
    }
    nearest, best = max(cosines.values()), max(scores.values())
    english = prompt.isascii() and _FOREIGN.isdisjoint(plain_words(prompt))
    resembled = english and max(nearest, none) >= RESEMBLED
    found = [one for one in by_words if not resembled or scores.get(one, UNLIKELY) >= UNLIKELY]
    near = (one for one, score in scores.items() if score >= max(LIKELY, best - GAP))
    found += without_places(prompt, near)
    return PromptSubjects(tuple(dict.fromkeys(found)), resembled and not found and none - nearest >= UNRELATED)


def nearness(vector: "NDArray[np.float32]") -> dict[str, float]:
    """Return the mean cosine of a prompt with the nearest examples of each subject; "" stands for no subject."""
    import numpy as np

    vectors, rows_of = examples()
    cosines = vectors @ (vector / np.linalg.norm(vector))
    return {
        subject: float(np.mean(np.partition(cosines[rows], -NEAREST)[-NEAREST:])) for subject, rows in rows_of.items()
    }


@functools.cache
def examples() -> "tuple[NDArray[np.float32], dict[str, NDArray[np.intp]]]":
    """Return the vectors of the examples, and the rows of each subject; "" stands for no subject."""
    import numpy as np

    with np.load(_FILE) as file:
        vectors, labels = file["vectors"].astype(np.float32), [str(one).split(",") for one in file["labels"]]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows_of = {subject: [row for row, names in enumerate(labels) if subject in names] for subject in ("", *SUBJECTS)}
    return vectors, {subject: np.array(rows) for subject, rows in rows_of.items() if len(rows) >= NEAREST}
