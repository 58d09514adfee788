"""Draw the pictures of README and docs: `python tests/screenshot.py`.

The first shows the app on the demo's logs after a few decisions, the second what an assistant proposed.
"""

import re
import tempfile
from pathlib import Path

from curator import curation
from curator.demo import logs
from curator.filters import parse_filter
from curator.services.import_logs import import_paths
from curator.services.proposals import Agent, propose
from curator.services.search_session import installed_embedder
from store import Store, clock
from tui.svg_export import picture

PICTURE = Path(__file__).parent / "tui" / "app.svg"
PROPOSAL = Path(__file__).parents[1] / "docs" / "proposal.svg"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "store")
        embedder = installed_embedder()
        dated = [path for path in sorted(logs().iterdir()) if path.name in ("chatgpt", "claude-code")]
        import_paths(store, dated, embedder)
        for words in ("Tea it is", "data engineer at Tidewell", "hazelnut", "getting married", "small commits"):
            curation.validate(store, store.list_ids(parse_filter(words)))
        curation.tag(store, store.list_ids(parse_filter("tea person")), add=["food"])
        now = clock.from_iso("2026-10-20T18:00:00+00:00")
        picture(store, PICTURE, now=now, keys=("j",) * 6)
        by = Agent("Claude Code", session="7f21", folder="/home/nora/atlas")
        text = "Nora releases Atlas on Thursdays only, never before a weekend"
        propose(store, text, by, because="we never ship right before a weekend, so make it Thursdays", project="atlas")
        picture(store, PROPOSAL, now=clock.now(), keys=("g",))
        store.close()
    for file in (PICTURE, PROPOSAL):
        drawn = file.read_text("utf-8")
        file.write_text(re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL), "utf-8")  # no web fonts


if __name__ == "__main__":
    main()
