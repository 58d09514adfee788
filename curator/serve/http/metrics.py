"""Prometheus metrics of requests, recalls and the store: counts and durations, no texts."""

import contextlib
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE

from curator.sweeps.scheduler import SWEEPS
from store import Store
from store.record.pool import RECORD

__all__ = ["CONTENT_TYPE", "Metrics"]

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Metrics:
    """The metrics of a server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "curator_requests", "Requests over HTTP.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "curator_request_seconds",
            "Duration of HTTP requests; for streams, until they end.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._recall = Histogram(
            "curator_recall_seconds",
            "Duration of recalls, through any interface.",
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._memories = Gauge(
            "curator_memories", "Live memories by review state.", ("state",), registry=self._registry
        )
        self._conflicts = Gauge("curator_conflicts", "Open conflicts.", registry=self._registry)
        ProcessCollector(registry=self._registry)
        self._streams = Gauge("curator_event_streams", "Open streams of events.", registry=self._registry)
        self._sweep = Gauge(
            "curator_sweep_items", "Items of the current sweep runs.", ("sweep", "state"), registry=self._registry
        )
        self._failures = Gauge(
            "curator_sweep_failures", "Items that failed in a model.", ("sweep",), registry=self._registry
        )
        self._events = Gauge("curator_journal_events", "Number of the last change.", registry=self._registry)
        self._bytes = Gauge("curator_record_bytes", "Size of the record on the disk.", registry=self._registry)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def recalled(self, seconds: float) -> None:
        """Record the duration of a recall."""
        self._recall.observe(seconds)

    def streams(self, number: int) -> None:
        """Set the number of open streams."""
        self._streams.set(number)

    def text(self, store: Store, figures: Mapping[str, object]) -> bytes:
        """Return all metrics in Prometheus' text format; `figures` are the store's statistics for models."""
        for state in ("memories", "validated", "inbox", "quarantined"):
            self._memories.labels("live" if state == "memories" else state).set(int(str(figures[state])))
        self._conflicts.set(int(str(figures["conflicts"])))
        self._sweep.clear()
        for run in reversed(store.sweeps.progress()):  # oldest first, so that the latest run of a sweep remains
            for state, number in (("done", run.done), ("total", run.total), ("failed", run.failed)):
                self._sweep.labels(run.sweep, state).set(number)
        for sweep in SWEEPS:
            self._failures.labels(sweep.name).set(store.sweeps.count_failures(sweep.name))
        self._events.set(store.journal.seq())
        with contextlib.suppress(OSError):
            self._bytes.set(sum((store.folder / f"{RECORD}{end}").stat().st_size for end in ("", "-wal")))
        return generate_latest(self._registry)
