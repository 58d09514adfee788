"""Measure full-text search in Japanese, Chinese, Korean and Thai, with each full-text engine.

    PYTHONPATH=tests:tests/bench:tests/store python tests/bench/unspaced.py

`unspaced.tsv` has memories, some with a query that only they answer; they are mixed with 1,000 English ones and made-up
ones in the same languages. Each text is a message, too, as `curator grep` searches messages.
"""

import contextlib
import tempfile
import time
from itertools import product
from pathlib import Path

from index_helpers import ANY, SPACE, remember, talk

from store import Store
from store.index import Index, tables
from stores import texts

MADE = {
    "ja": (
        "{0}は{1}で{2}を買った",
        "姉 弟 部長 隣人 先輩 店長".split(),
        "駅前 市場 港町".split(),
        "茶碗 自転車 傘".split(),
    ),
    "zh": (
        "{0}在{1}买了{2}",
        "表姐 邻居 经理 同学 舅舅 房东".split(),
        "车站 超市 码头".split(),
        "雨伞 自行车 茶杯".split(),
    ),
    "ko": (
        "{0}이 {1}에서 {2}을 샀다",
        "부장님 삼촌 이웃 선생님 점장 형님".split(),
        "역앞 시장 항구".split(),
        "우산 가방 찻잔".split(),
    ),
    "th": (
        "{0}ซื้อ{2}ที่{1}",
        "พี่สาว เพื่อนบ้าน หัวหน้า ครู ลุง ป้า".split(),
        "สถานี ตลาด ท่าเรือ".split(),
        "ร่ม จักรยาน กระเป๋า".split(),
    ),
}


def cases() -> tuple[list[str], list[tuple[str, str, str]]]:
    """Return all memories, and the queries as (language, query, memory)."""
    rows = [line.split("\t") for line in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()]
    made = [form.format(*parts) for form, *lists in MADE.values() for parts in list(product(*lists))[:36]]
    memories = [*texts(1_000, seed=3), *(row[1] for row in rows), *made]
    return memories, [(row[0], row[2], row[1]) for row in rows if len(row) > 2]


def measure(engine: str, train_from: int) -> None:
    """Print recall at 10 and the mean reciprocal rank for each language."""
    tables.WORDS_FROM = train_from
    memories, asked = cases()
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Store.open(Path(folder))) as store:
        numbers = dict(zip(memories, remember(store, *memories), strict=True))
        messages = dict(zip(memories, talk(store, *memories), strict=True))
        index = Index(store, SPACE)
        began = time.process_time()
        index.catch_up()
        took = time.process_time() - began
        size = sum(path.stat().st_size for path in (Path(folder) / "index").rglob("*") if path.is_file())
        print(f"{engine}: {size / 1e6:.1f} MB, made in {took:.1f} s of processor time")
        for language in MADE:
            ranks, grepped = [], []
            for _, query, text in (one for one in asked if one[0] == language):
                found = [number for number, _ in index.search_text(query, ANY, 10)]
                ranks.append(found.index(numbers[text]) + 1 if numbers[text] in found else 0)
                said = [number for number, _ in index.search_messages(query, 10)]
                grepped.append(said.index(messages[text]) + 1 if messages[text] in said else 0)
            figures = [
                f"R@10 {sum(map(bool, found)) / len(found):.2f}, MRR {sum(1 / n for n in found if n) / len(found):.2f}"
                for found in (ranks, grepped)
            ]
            print(f"  {language} ({len(ranks)}): {figures[0]}; messages {figures[1]}")


if __name__ == "__main__":
    measure("FTS5", 20_000)
    measure("LanceDB", 10)
