"""Measure redaction: misses by kind of secret, false alarms, and speed.

python tests/bench/secret_detectors.py            # all kinds, the corpora, the speed
python tests/bench/secret_detectors.py cvv -v     # one kind, with the texts that stay raw
"""

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "secrets"))

from benign_lines import corpora
from curator.secrets import redact, secrets_in
from secret_kinds import KINDS, samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", help="names of kinds; all by default")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the misses and false alarms")
    wanted = parser.parse_args()
    kinds(wanted.kinds, wanted.verbose)
    if not wanted.kinds:
        false_alarms(wanted.verbose)
        speed()


def kinds(names: list[str], verbose: bool) -> None:
    """Print the share of secrets that stay raw, for each kind with misses and for all kinds."""
    raw = total = always = sometimes = 0
    for kind in KINDS:
        if names and kind.name not in names:
            continue
        made = list(samples(kind))
        missed = [one for one in made if one.is_raw_in(redact(one.text).text)]
        raw, total = raw + len(missed), total + len(made)
        always += len(missed) == len(made)
        sometimes += 0 < len(missed) < len(made)
        if missed:
            print(f"{kind.name:26} {len(missed):4} of {len(made):4}  {len(missed) / len(made):6.1%}")
            for one in missed if verbose else ():
                print(f"    {one.text!r}")
    print(f"raw: {raw:,} of {total:,} = {raw / total:.2%}; {always} kinds always, {sometimes} sometimes")


def false_alarms(verbose: bool) -> None:
    """Print how many secrets are found in each corpus that has none."""
    for name, texts in corpora().items():
        lines = sum(text.count("\n") + 1 for text in texts)
        found = [secret for text in texts for secret in secrets_in(text)]
        print(f"{name}: {len(found):,} in {lines:,} lines, {len(found) / lines * 1000:.2f} of 1,000")
        for secret in found if verbose else ():
            print(f"    {secret[:200]!r}")


def speed() -> None:
    """Print megabytes per second for messages as in chats: three of prose to one of code."""
    chance = random.Random(1)
    library = corpora()["standard library"]
    code = [text[at : at + 2000] for text in library[::4] for at in range(0, len(text), 2000)]
    words = " ".join(corpora()["prose"]).split()
    prose = []
    for _ in range(1500):
        at = chance.randrange(len(words))
        prose.append(" ".join(words[at : at + chance.choice((20, 60, 300, 400))]))
    mixed = [chance.choice(code if number % 4 == 0 else prose) for number in range(1500)]
    for name, texts in (("prose", prose), ("code", code), ("mixed", mixed)):
        size = sum(map(len, texts)) / 1e6
        taken = min(_time(texts) for _ in range(3))
        print(f"{name}: {size:.1f} MB in {len(texts):,} messages, {size / taken:.1f} MB/s")


def _time(texts: list[str]) -> float:
    began = time.process_time()
    for text in texts:
        redact(text)
    return time.process_time() - began


if __name__ == "__main__":
    main()
