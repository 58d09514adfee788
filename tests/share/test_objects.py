"""A shared project on object storage, with a local S3 server."""

import logging
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator import curation
from curator.share import manage, members, run
from curator.share.invitation import invitation
from curator.sync.segments import SegmentPath
from curator.targets import target_of
from share.people import KEY, person, settle

moto = pytest.importorskip("moto.server", reason="the test server is not installed (.[test-s3])")
pytest.importorskip("obstore.store", reason="obstore is not installed")

WHERE, ROSES = "s3://words/garden", "The roses are cut in March"


@pytest.fixture(autouse=True)
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    endpoint = "http://{}:{}".format(*server.get_host_and_port())
    variables = {"AWS_ENDPOINT_URL": endpoint, "AWS_REGION": "us-east-1"}
    variables |= {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for method, path in (("POST", "moto-api/reset"), ("PUT", "words")):  # forgets everything; creates the bucket
        urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{path}", method=method)).close()
    yield
    server.stop()


def test_people_share_a_project_in_a_bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, ben, cara = (person(tmp_path, name) for name in ("Anna", "Ben", "Cara"))
    number = anna.add(ROSES)
    with anna.here() as store:
        words = invitation(KEY, run.create(store, "garden", WHERE, "Anna", KEY).owner)
    for one in (ben, cara):
        with one.here() as store:
            share, _ = run.open_invitation(WHERE, words)
            run.join(store, share, "garden", one.name)
    assert sorted(anna.sync().admitted) == ["Ben", "Cara"]
    ben.add("The shed is locked at night")
    settle([anna, ben, cara])
    assert {*cara.memories()} == {ROSES, "The shed is locked at night"}
    target = target_of(WHERE)
    target.put(SegmentPath(members.LISTS, 7, 9).name, b"x" * 50_000)
    monkeypatch.setattr(run, "OBJECT", 40_000)
    (problem,) = cara.sync().problems
    assert "more than any that is read" in problem
    with anna.here() as store:
        curation.forget(store, [number])
        manage.rekey(store, anna.share(), "Ben")
    anna.add("The pond is deep")
    settle([anna, cara])
    assert {*cara.memories()} == {"The shed is locked at night", "The pond is deep"}
