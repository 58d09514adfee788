"""Selection of hits from ranked candidates; unrelated, expired and duplicate ones are omitted with a reason."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator import attributes, safety
from curator.compare import relate
from curator.recall.features import Column, Sheet
from curator.recall.presets import Recipe
from curator.recall.types import OmissionKind, OmissionReason
from store.index.queries import stems
from store.index.tables import STOP_WORDS
from store.model import Kind, Relation

UNLIKE, MISSPELT = 0.2, 0.12
"""Minimum cosines of a memory that shares no word with the question, not even by its context.

The second one applies to cosines that compare letters only. 95 % of unrelated memories are below.
"""
SURE, FAINT, STRANGE, KNOWN = 0.4, 0.25, 0.3, 0.5
"""Cosines, and a share of words (`KNOWN`), that decide whether any memory answers the question.

If no cosine reaches `SURE`, hits need a cosine of `FAINT` or the share `KNOWN` of the question's words. If none reaches
`STRANGE` and no memory has `KNOWN`, there is no hit.

With these values none of 544 answerable questions loses its answer, and 37 of 48 questions about topics absent from the
demo find nothing.
"""
ODDS = {"meaning": 9.1, "score": 0.5, "words": 1.6, "own": 2.2, "rule": 0.7}
"""Weights of the log odds that an answer to a prompt needs a memory.

The features are the cosine, the score, the share of the prompt's words, whether the memory belongs to the project the
prompt is typed in, and whether it is a constraint or preference. The first three are fitted by logistic regression to
88,000 pairs of 1,180 prompts of 14 people with memories, whose cosines are of an embedder fitted on the others; the
last two to 11,600 pairs of 150 task prompts. Words weigh twice what was fitted (0.8): that finds as many of the needed
memories, and more of those that share words with the prompt, of which these people have fewer than others. A rule
weighs half of what was fitted (1.3): of 374 needed memories one fewer is found, with .09 fewer needless ones a prompt.
"""
LIKELY = 4.85
"""Minimum weighted sum (`ODDS`) of a memory in a block.

On held-out task prompts, 78 % of blocks have all needed memories, with 1.3 needless ones on average, and 68 % of the
prompts without an answer get an empty block.
"""
LIKELY_RULE = 3.65
"""The same for a rule of the project that the prompt is typed in, however far it is below the best score.

Of the task prompts that need such a rule or decision, .83 and .94 (not used for it) get all of them, .61 and .72 with
the threshold of the others; blocks have .2 more needless memories. With no threshold they are .83 and 1, with .4 more.
"""
BEST = 0.9
"""Added to the sum of the memory with the highest score if it shares a word with the prompt that is not of any topic.

It is the weight that a regression fits to either half of 1,512 prompts of twenty people. With a `BLOCK_GAP` of 6
instead of 5 and this `LIKELY` instead of 4.75, it finds 13 more of the 2,367 memories that they need and 4 more of 374
that the task prompts do, with .02 more needless ones per prompt.
"""
ASKED = 2.0
"""Discount on `LIKELY` for the best memory if the prompt is a question of the person about themselves.

With it, 38 instead of 34 of 42 such questions get their answer.
"""
OUTSTANDING = 5.0
"""Minimum score of a memory with the share `KNOWN` of the prompt's content words, if no memory has a high cosine.

Example: "ideas for the quilt for the baby" and "the baby is due in February" have a cosine of only 0.22.
"""
_REQUESTS = frozenset(
    "answer mak giv help idea tell show find list need want writ draft plan suggest recommend explain creat generat"
    " summaris email letter text messag not rep good best new way thing".split()
)
"""Stems of the words of requests."""
_VAGUE = frozenset(
    "about ad add all alway anyth around ask back befor bit chang check com day each even ever everyth eight fil first"
    " five four get go goe got hour keep last look lot many mean minut month morn much never next night nine noth now"
    " ok old one other out per pleas put say second set seven sinc six some someth start still stop tak ten thank that"
    " thi this three time today tomorrow ton two until up us use week with without year yesterday".split()
)
"""Stems of words that occur in texts of any topic, as "old" in "how old is the pope" and "a seven years old car".

A memory below the cosine `FAINT` that shares only such words or numbers with a prompt is not recalled. On the training
prompts this removes 13 of 161 needless memories and no needed one.
"""
_REPLIES = frozenset(
    "again all alright amaz ask awesom bye continu cool correct do don done exactly excellent fin go good great hello"
    " hey hi hmm indeed it lgtm lol more nah nic nice nop nope not now ok okay perfect pleas please proceed really"
    " right sorry sound super sure tak thank that way wow ye yeah yep yes".split()
)
"""Stems of replies and greetings, which ask for no memory."""
_ASKS_OF_SELF = re.compile(
    r"\b(?:who|what|where|when|which|how|why|am|are|do|can|should)\b.*\b(?:i|me|my|mine|we|us|our)\b", re.IGNORECASE
)
"""A question about the person, which may be of nothing but common words: "who am I?"."""
_OWNED = re.compile(r"\b(?:my|our) (?:(?:new|old|own|current|former|next|last) )?(\w+)", re.IGNORECASE)
_ENOUGH = 4.0  # scores are clipped here, since higher ones depend on the size of the store
_RULES = frozenset({Kind.CONSTRAINT, Kind.PREFERENCE})
STATED = 5  # maximum memories recalled because they state an attribute that the prompt asks for
NEAR = 0.8  # minimum cosine of two hits to compare them as duplicates
ALIKE = 0.88  # minimum duplicate score to omit the lower hit, unless the pair is an update or a contradiction
_COMPARED = 120  # maximum pairs compared per search; each takes 0.1 to 0.5 ms
_TWINS = 4  # nearest hits that each hit is compared with
_LOOKED_AT = 20  # best memories whose share of the question's words is computed
_NAMED = 20  # maximum omissions reported
_NEXT = 3  # omissions reported of those beyond the limit


@dataclass(frozen=True, slots=True)
class Selection:
    """Positions of hits, best first, and of omitted candidates, with the reason."""

    hits: Sequence[int]
    omitted: Sequence[tuple[int, OmissionReason]]


def select(
    sheet: Sheet,
    order: Sequence[int],
    scores: Column,
    recipe: Recipe,
    query: str,
    vectors: Mapping[int, NDArray[np.float32]],
    limit: int,
) -> Selection:
    """Select at most `limit` hits from the positions in `order`.

    For presets with a floor, safety matters come first. A life-threatening matter is never omitted as a duplicate of a
    milder one.
    """
    kept: list[int] = []
    omitted: list[tuple[int, OmissionReason]] = []
    over = 0
    distant = _distance_reasons(sheet, order, scores, recipe, query)
    pairs = _COMPARED
    urgent = {row: memory for row, memory in enumerate(sheet.memories) if recipe.floor and memory.id in sheet.urgent}
    stating = [row for row in np.argsort(-scores).tolist() if recipe.floor and sheet.memories[row].id in sheet.stating]
    stating.sort(key=lambda row: sheet.stating[sheet.memories[row].id])
    sure = {*urgent, *stating[:STATED]}
    first = sorted(urgent, key=lambda row: not safety.is_grave(urgent[row].text))
    for row in dict.fromkeys([*first, *stating[:STATED], *order]):
        memory = sheet.memories[row]
        kind = sheet.hidden.get(memory.id) or (None if row in sure else distant[row])
        twin = None
        if kind is None and len(kept) == limit:
            kind, over = OmissionKind.LIMIT, over + 1
        if kind is None and recipe.distinct and pairs > 0:
            known = [other for other in kept if {memory.id, sheet.memories[other].id} <= vectors.keys()]
            cosines = {other: float(vectors[memory.id] @ vectors[sheet.memories[other].id]) for other in known}
            nearest = sorted((other for other in known if cosines[other] >= NEAR), key=lambda other: -cosines[other])
            for other in nearest[: min(_TWINS, pairs)]:
                pairs -= 1
                verdict = relate(sheet.memories[other].text, memory.text, cosines[other])
                alike = verdict.relation is Relation.DUPLICATE or verdict.duplicate_score >= ALIKE
                alike = alike and (safety.is_grave(sheet.memories[other].text) or not safety.is_grave(memory.text))
                if alike and not verdict.relation.is_opposed:
                    kind, twin = OmissionKind.DUPLICATE, sheet.memories[other].id
                    break
        if kind is None:
            kept.append(row)
        elif len(omitted) < _NAMED:
            omitted.append((row, OmissionReason(kind, twin)))
        if over == _NEXT:
            break
    return Selection(kept, omitted)


def _distance_reasons(
    sheet: Sheet, order: Sequence[int], scores: Column, recipe: Recipe, query: str
) -> Sequence[OmissionKind | None]:
    """Return, by position, the reason for omitting unrelated memories, and those with scores far below the best."""
    best = next((row for row in order if sheet.memories[row].id not in sheet.hidden), None)
    near, strong = np.ones(len(sheet.memories), bool), np.ones(len(sheet.memories), bool)
    if best is not None and recipe.gap is not None:
        strong = scores >= scores[best] - recipe.gap
    if best is not None and recipe.floor and sheet.cosine is not None:
        if recipe.block and sheet.lexical:
            near = _shared_words(sheet, query, _visible_mask(sheet)) > 0  # by letters alone, "cello" resembles "hello"
            near |= _project_rules_mask(sheet) & (sheet.text > 0)
        elif recipe.block:
            near = needed_mask(sheet, sheet.cosine, scores, query)
            strong |= _project_rules_mask(sheet)
        else:
            near = related_mask(sheet, sheet.cosine, query)
    if recipe.block and recipe.floor and is_reply(query):
        near[:] = False  # "ok, go on"
    if recipe.threshold is not None:
        near &= False if sheet.cosine is None else sheet.cosine >= recipe.threshold
    return [
        None if close and well else OmissionKind.WEAK if close else OmissionKind.UNRELATED
        for close, well in zip(near, strong, strict=True)
    ]


def is_reply(query: str) -> bool:
    """Return True for a prompt that only agrees, thanks or greets."""
    return not stems(query) - frozenset(STOP_WORDS) - _REPLIES and _ASKS_OF_SELF.search(query) is None


def needed_mask(sheet: Sheet, cosine: Column, scores: Column, query: str) -> NDArray[np.bool_]:
    """Return a mask of the memories that an answer to the prompt probably needs (`ODDS`).

    If no memory has a high cosine, these are only memories of the project and those with an `OUTSTANDING` score. Safety
    facts that only share a word with an unrelated prompt, as "US coins, how many nickels", are none.
    """
    free = _visible_mask(sheet)
    own = sheet.each(lambda memory: float(memory.scope in sheet.question.scopes))
    shares = _shared_words(sheet, query, free)
    rule = sheet.each(lambda memory: float(memory.kind in _RULES))
    odds = ODDS["meaning"] * cosine + ODDS["score"] * np.minimum(scores, _ENOUGH) + ODDS["words"] * shares
    least = np.where(_project_rules_mask(sheet), LIKELY_RULE, LIKELY)
    topics = stems(query) - frozenset(STOP_WORDS) - _REQUESTS
    telling = {word for word in topics - _VAGUE if not word.isdecimal()}
    best = int(np.argmax(np.where(free, scores, -np.inf)))
    if attributes.is_of_self(query):
        least[best] -= ASKED
    if not telling.isdisjoint(stems(sheet.memories[best].text)):
        least[best] -= BEST
    likely = odds + ODDS["own"] * own + ODDS["rule"] * rule >= least
    if sheet.unrelated:
        likely &= sheet.each(lambda memory: float(not safety.states(memory.text, tuple(safety.FACTS)))) > 0
    for row in np.flatnonzero(likely & (own == 0) & (cosine < FAINT)).tolist():
        likely[row] = not telling.isdisjoint(stems(sheet.memories[row].text))
    if cosine[free].max() >= STRANGE or (shares >= KNOWN).any():
        return likely
    for row in np.flatnonzero(likely & (own == 0)).tolist():
        named = len(topics & stems(sheet.memories[row].text))
        likely[row] = scores[row] >= OUTSTANDING and named >= KNOWN * len(topics) > 0
    return likely


def _visible_mask(sheet: Sheet) -> NDArray[np.bool_]:
    """Return a mask of the memories that are not hidden."""
    return np.array([memory.id not in sheet.hidden for memory in sheet.memories], bool)


def _project_rules_mask(sheet: Sheet) -> NDArray[np.bool_]:
    """Return a mask of the constraints and preferences of the project in which the prompt is typed."""
    scopes = sheet.question.scopes
    return np.array([memory.kind in _RULES and memory.scope in scopes for memory in sheet.memories], bool)


def _shared_words(sheet: Sheet, query: str, free: NDArray[np.bool_]) -> Column:
    """Return the share of the question's words that each memory contains, for the best `free` memories by words.

    It is 0 for the others. Words that ask for an attribute of the person are ignored if a memory states the attribute:
    "where do I live?" should not find other people's homes. A memory that contains the noun after "my" or "our", as in
    "an email to my manager", has a share of at least `KNOWN`.
    """
    words = stems(query) - frozenset(STOP_WORDS)
    telling = words & stems(attributes.without_asked(query)) if sheet.stating else words
    owned = stems(" ".join(_OWNED.findall(query))) & telling
    called = {word: stems(" ".join(names)) for relation, names in sheet.called.items() for word in stems(relation)}
    shares = np.zeros(len(sheet.memories))
    if words:
        having = np.flatnonzero(free & (sheet.text_rank > 0))
        for row in having[np.argsort(sheet.text_rank[having])][:_LOOKED_AT]:
            known = stems(sheet.memories[row].text)
            known |= {word for word, names in called.items() if not names.isdisjoint(known)}
            shares[row] = max(len(telling & known) / len(words), KNOWN if owned & known else 0)
    return shares


def related_mask(sheet: Sheet, cosine: Column, query: str) -> NDArray[np.bool_]:
    """Return a mask of the memories related to the question; hidden memories do not affect the thresholds."""
    near = (cosine >= (MISSPELT if sheet.lexical else UNLIKE)) | (sheet.text > 0) | (sheet.context > 0)
    if sheet.lexical:
        return near
    free = _visible_mask(sheet)
    best, known = cosine[free].max(), _shared_words(sheet, query, free) >= KNOWN
    if best < SURE:
        near &= (cosine >= FAINT) | known
    if best < STRANGE and not known.any():
        near[:] = False
    return near
