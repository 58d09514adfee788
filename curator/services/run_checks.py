"""Running the person's checks as the settings have recall, and letting warmth follow from what comes of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.recall.preset_names import Preset
from store import Store
from store.model import Check

if TYPE_CHECKING:
    from curator.recall.expectations import Checked
    from curator.services.search_session import Searching

NOT_WARMED = "warmth was left as it is, since another process is writing to the store; the next run makes up for it"


@dataclass(frozen=True, slots=True)
class Run:
    """What came of checks, in their order, and whether warmth could follow (`NOT_WARMED` is to be said if not)."""

    outcomes: "tuple[Checked, ...]"
    warmed: bool


def run_all(
    store: Store, opened: "Searching", checks: list[Check], preset: Preset | None = None, now: int | None = None
) -> Run:
    """Run checks. Raises ModelError, StoreError, ConfigError."""
    from curator.config import settings
    from curator.lifecycle import heed_checks
    from curator.recall import BLOCK_GAP, BLOCK_HITS, Wanted, token_counter
    from curator.recall.expectations import run_checks

    known = settings().recall
    how = preset or Preset(known.preset)
    outcomes = run_checks(
        store,
        opened.index,
        opened.embedder,
        checks,
        Wanted(how, BLOCK_HITS, now, BLOCK_GAP, known.threshold, for_model=True),
        known.budget,
        validated=known.require_validation,
        count=token_counter(known.tokenizer),
    )
    warmed = heed_checks(
        store,
        [memory for outcome in outcomes for memory in outcome.held],
        [memory for outcome in outcomes for memory in outcome.given],
    )
    return Run(tuple(outcomes), warmed)
