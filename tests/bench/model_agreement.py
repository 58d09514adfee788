"""Print how far a chat model agrees with our labels: as a judge of pairs, as a distiller of lines, as a merger.

python tests/bench/model_agreement.py                             two scripted models of the stand-in server: one that
                                                                  follows simple rules, and one that knows our labels,
                                                                  which shows how much the checks of answers reject
python tests/bench/model_agreement.py --host URL --model NAME     a real server, Ollama or …/v1: it is sent our own
                                                                  made-up sentences, some hundred short calls
python tests/bench/model_agreement.py --most 100                  of each label; 40 without it

Pairs are those of `tests/conflicts/pairs_tune.tsv`, lines those of `tests/distill/chat_lines.txt`; held-out data is not
read. Each figure is printed beside that of the rules, whose weights are fitted on these pairs and lines. A call without
an answer counts as disagreement, and is reported.
"""

import argparse
import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "conflicts"), str(Path(__file__).parent)]

from pair_sets import PersonPair, people  # noqa: E402

from curator.compare import relate  # noqa: E402
from curator.distill.rules import distil  # noqa: E402
from curator.llm.chunks import chunks  # noqa: E402
from curator.llm.client import Asker, data_tokens  # noqa: E402
from curator.llm.extract import extract  # noqa: E402
from curator.llm.judge import DatedText, judge  # noqa: E402
from curator.llm.merge import merge  # noqa: E402
from curator.models import CallFailed  # noqa: E402
from curator.services.model_servers import server_at  # noqa: E402
from factories import CHAT, TURN  # noqa: E402
from fake_ollama.rule_model import answer, asked_for, blocks  # noqa: E402
from fake_ollama.scenario import Body, Scenario  # noqa: E402
from fake_ollama.server import serving  # noqa: E402
from judged_pairs import OPPOSED, share  # noqa: E402
from store.model import Kind, Message, Relation  # noqa: E402

T = TypeVar("T")
Line = tuple[str, str]
"""The label of a line of a chat, and its text."""
AT_ONCE = 8  # lines per conversation
NOT_LASTING = ("passing", "nothing")
failures: Counter[str] = Counter()


async def tried(call: Awaitable[T]) -> T | None:
    """Return the answer of a call, or None after counting its failure."""
    try:
        return await call
    except CallFailed as error:
        failures[f"{type(error).__name__}: {str(error)[:70]}"] += 1
        return None


def sampled(label: Callable[[T], str], found: Sequence[T], most: int) -> Iterator[T]:
    """Yield at most `most` items of each label, evenly from the whole set."""
    groups: dict[str, list[T]] = defaultdict(list)
    for one in found:
        groups[label(one)].append(one)
    for group in groups.values():
        yield from group[:: max(1, len(group) // most)][:most]


def kappa(said: Sequence[tuple[str, str]]) -> float:
    """Return Cohen's kappa of two labellings."""
    left, right = Counter(one for one, _ in said), Counter(other for _, other in said)
    chance = sum(left[name] * right[name] for name in left) / len(said) ** 2
    return (sum(one == other for one, other in said) / len(said) - chance) / (1 - chance)


async def judged(asker: Asker, most: int) -> None:
    """Print how the model judges labelled pairs, and those of them that the rules leave unsure."""
    pairs = list(sampled(lambda pair: pair.relation, people("tune"), most))
    truth = [pair.relation for pair in pairs]
    times = [None if pair.a_at is None or pair.b_at is None else (pair.a_at, pair.b_at) for pair in pairs]
    by_rule = [relate(pair.a, pair.b, None, said).relation for pair, said in zip(pairs, times, strict=True)]
    opinions = [await tried(judge(asker, DatedText(p.a, p.a_at), DatedText(p.b, p.b_at))) for p in pairs]
    by_model = ["no answer" if one is None else one.relation for one in opinions]
    print(f"\njudge: {len(pairs)} pairs")
    names = [*Relation, "no answer"]
    print(f"  {'label':16}" + "".join(f"{name:>14}" for name in names))
    for relation in sorted(set(truth)):
        said = Counter(one for one, label in zip(by_model, truth, strict=True) if label == relation)
        print(f"  {relation:16}" + "".join(f"{said[name]:14}" for name in names))
    for who, found in (("model", by_model), ("rules", by_rule)):
        same = [one == label for one, label in zip(found, truth, strict=True)]
        share(f"{who}, the label", sum(same), len(pairs))
        print(f"  {f'{who}, kappa':52}{kappa(list(zip(found, truth, strict=True))):6.3f}")
        opposed = [(one in OPPOSED, label in OPPOSED) for one, label in zip(found, truth, strict=True)]
        share(f"{who}, conflicts, precision", sum(map(all, opposed)), sum(one for one, _ in opposed))
        share(f"{who}, conflicts, recall", sum(map(all, opposed)), sum(label for _, label in opposed))
    open_ = [(one, label) for one, rule, label in zip(by_model, by_rule, truth, strict=True) if rule is Relation.UNSURE]
    share("model, the label, where the rules are unsure", sum(one == label for one, label in open_), len(open_))


def lines() -> list[Line]:
    """Return the labelled lines of chats."""
    found: list[Line] = []
    label = ""
    for row in (TESTS / "distill" / "chat_lines.txt").read_text("utf-8").splitlines():
        if row.startswith("## "):
            label = row[3:]
        elif row and not row.startswith("#"):
            found.append((label, row))
    return found


async def distilled(asker: Asker, most: int) -> None:
    """Print what the model keeps of labelled lines, each sent as a message of a person."""
    chosen = sorted(sampled(lambda line: line[0], lines(), most), key=lambda line: line[1])
    kept: dict[str, set[int]] = {"model": set(), "rules": set()}
    kinds: list[tuple[str, str]] = []
    for start in range(0, len(chosen), AT_ONCE):
        said: list[Message] = [
            replace(TURN, id=start + place, ordinal=start + place, text=text)
            for place, (_, text) in enumerate(chosen[start : start + AT_ONCE], 1)
        ]
        kept["rules"] |= {one.message for message in said for one in distil(CHAT, [message]).candidates}
        for chunk in chunks(said, data_tokens(asker.chat.model.context)):
            found = await tried(extract(asker, chunk))
            for one in found.candidates if found is not None else ():
                kept["model"].add(one.message)
                kinds.append((one.kind, chosen[one.message - 1][0]))
    lasting = {number for number, (label, _) in enumerate(chosen, 1) if label not in NOT_LASTING}
    print(f"\ndistil: {len(chosen)} lines, {len(lasting)} lasting")
    for who, found_ in kept.items():
        share(f"{who}, lasting, precision", len(found_ & lasting), len(found_))
        share(f"{who}, lasting, recall", len(found_ & lasting), len(lasting))
    known = [(kind, label) for kind, label in kinds if label in {kind for kind, _ in kinds}]
    share("model, the kind, of lines labelled with a kind", sum(kind == label for kind, label in known), len(known))


async def merged(asker: Asker, most: int) -> None:
    """Print how many merge drafts pass the check."""
    pairs = [pair for pair in people("tune") if pair.opposed or pair.relation is Relation.DUPLICATE]
    chosen: list[PersonPair] = list(sampled(lambda pair: pair.relation, pairs, most))
    before, passed = failures.copy(), Counter[str]()
    for pair in chosen:
        text = await tried(merge(asker, [DatedText(pair.a, pair.a_at), DatedText(pair.b, pair.b_at)], pair.opposed))
        passed[pair.relation] += text is not None
    print(f"\nmerge: {len(chosen)} pairs")
    for relation, count in Counter(pair.relation for pair in chosen).items():
        share(f"drafts of a {relation} that pass the check", passed[relation], count)
    for why, count in (failures - before).most_common():
        print(f"  {count:5}  {why}")


def answer_by_labels(body: Body) -> str:
    """Answer with our labels, like a model that makes no mistake."""
    rows: list[dict[str, object]] = []
    fields, told = asked_for(body), [block for block in blocks(body) if block.name in ("turn", "statement")]
    if "turn" in fields:
        known = {text: label for label, text in lines() if label not in NOT_LASTING}
        for block in told:
            if (label := known.get(block.text.strip())) is not None:
                kind = label if label in set(Kind) else "fact"
                item = {"turn": block.number, "quote": block.text, "text": block.text, "kind": kind}
                rows.append({**item, "confidence": "high", "importance": 5, "expires": "never"})
    else:
        first, second = (block.text.strip() for block in told)
        relations = {frozenset((pair.a, pair.b)): pair.relation for pair in people("tune")}
        relation = relations[frozenset((first, second))]
        text = second if relation in OPPOSED else max(first, second, key=len)
        rows.append({"difference": "", "relation": relation, "confidence": "high", "text": text})
    return json.dumps({"items": rows}, ensure_ascii=False)


async def measured(host: str, model: str, most: int) -> None:
    """Print all measurements of one model."""
    async with server_at(host) as server:
        chat = await server.chat(model)
        print(f"{chat.model.label} at {host}")
        asker = Asker(chat, None, b"bench")
        for measure in (judged, distilled, merged):
            await measure(asker, most)
    print(f"\ncalls without an answer: {failures.total()}\n")
    failures.clear()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="", help="address of a real server")
    parser.add_argument("--model", default="qwen3:4b")
    parser.add_argument("--most", type=int, default=40, help="pairs and lines of each label")
    wanted = parser.parse_args()
    if wanted.host:
        asyncio.run(measured(wanted.host, wanted.model, wanted.most))
        return
    for name, mind in (("simple rules", answer), ("our labels", answer_by_labels)):
        with serving(Scenario(mind=mind)) as standin:
            print(f"scripted: {name}")
            asyncio.run(measured(standin.host, wanted.model, wanted.most))


if __name__ == "__main__":
    main()
