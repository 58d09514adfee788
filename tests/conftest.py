"""Fixtures of all tests: a store and a home folder for each, apart from the developer's own settings."""

import gc
import itertools
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from _pytest.assertion import rewrite

import new_records
from effort import ALL, EXAMPLES, share
from object_servers import Bucket, new_bucket
from store import Store
from store.record import migrations

os.environ["CURATOR_SWEEP_BACKUP__ENABLED"] = "false"  # set in the environment, as servers that tests share need it too
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):  # recompiling would take half the time of a test process
    sys.dont_write_bytecode = False

if not ALL:  # for this process and those that tests start
    sys.path.insert(0, str(Path(__file__).parent / "light"))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (sys.path[0], os.environ.get("PYTHONPATH"))))

    migrations.migrate = new_records.copy  # in this process only

gc.set_threshold(200_000, 50, 100)  # importing and collecting tests leaves hardly any garbage

_NUMBERS = itertools.count()

hypothesis.settings.register_profile("curator", max_examples=share(EXAMPLES), deadline=None)
hypothesis.settings.load_profile("curator")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Let an idle process take tests from another when there are several, since some tests take long."""
    if config.getoption("numprocesses", None) and config.getoption("dist") == "no":
        config.option.dist = "worksteal"


def pytest_make_parametrize_id(val: object) -> str | None:
    """Return a short id for a long parameter: each process keeps, sends and compares the ids of all tests."""
    return f"{val[:30]!a} of {len(val)}" if isinstance(val, str | bytes) and len(val) > 200 else None


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile this process's share of the tests: compiling all of them would take one process 10 s."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    tests = sorted(path for folder in session.config.args for path in Path(folder).rglob("test_*.py"))
    for path in tests[int(worker["workerid"][2:]) :: worker["workercount"]]:
        compiled = rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
        if rewrite._read_pyc(path, compiled) is None and rewrite.try_makedirs(compiled.parent):
            stat, code = rewrite._rewrite_test(path, session.config)
            rewrite._write_pyc(session.config.stash[rewrite.assertstate_key], code, stat, compiled)


def pytest_collection_finish() -> None:
    """Exempt what is imported and collected by now from garbage collection, and collect rarely: a sixth faster."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return twice as many processes as processors, at most two more: many tests wait for the app or a process."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return usable + min(usable, 2)


@pytest.fixture
def bucket(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """Return an empty bucket of a local S3 server, or of another kind (`object_servers.EVERYWHERE`)."""
    return new_bucket(getattr(request, "param", "s3"), monkeypatch.setenv)


@pytest.fixture
def own_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for this test alone: `tmp_path` if it asks for one, else one that does not exist yet.

    Making `tmp_path` takes longer than most tests that need no files.
    """
    if "tmp_path" in request.fixturenames:
        folder: Path = request.getfixturevalue("tmp_path")
        return folder
    return tmp_path_factory.getbasetemp() / f"own-{next(_NUMBERS)}"


@pytest.fixture(autouse=True)
def _own_home(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give every test its own home folder; the model cache stays shared."""
    from curator.paths import cache_folder

    monkeypatch.setenv("CURATOR_CACHE", str(cache_folder()))
    monkeypatch.setenv("CURATOR_HOME", str(own_folder / "home"))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    yield
    from curator.config import settings
    from curator.secrets.scan import reread_settings

    settings.cache_clear()
    reread_settings()


@pytest.fixture(scope="session")
def classifiers() -> None:
    """Install the classifiers for tests that request them; skip those tests where the weights cannot be fetched."""
    from curator.models import FetchFailed, weights
    from curator.paths import cache_folder

    try:
        for one in weights.ALL:
            weights.fetch(one, cache_folder())
    except FetchFailed as error:
        pytest.skip(f"NOT TESTED: the classifiers, for {error}")


@pytest.fixture(autouse=True)
def _by_words(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the classifiers in all other tests, whether their weights are installed or not."""
    if "classifiers" not in request.fixturenames:
        monkeypatch.setattr("curator.models.can_classify", lambda: False)


@pytest.fixture(scope="session")
def _new_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the record of an empty store: migrating a new one takes 15 ms, copying this one 1 ms."""
    folder = tmp_path_factory.mktemp("new")
    Store.open(folder).close()
    return folder / "record.sqlite"


@pytest.fixture
def store(tmp_path: Path, _new_record: Path) -> Iterator[Store]:
    """Yield an empty store."""
    folder = tmp_path / "store"
    folder.mkdir(mode=0o700)
    shutil.copyfile(_new_record, folder / _new_record.name)
    opened = Store.open(folder)
    yield opened
    opened.close()
