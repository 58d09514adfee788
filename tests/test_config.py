"""Settings: file, environment, and what is wrong with them."""

import os
from pathlib import Path

import pytest

from curator import paths
from curator.config import ConfigError, explained, settings


def write(text: str) -> Path:
    file = paths.config_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_the_environment_comes_before_the_file_and_the_file_before_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    write("[recall]\nlimit = 7\nbudget = 300\n")
    monkeypatch.setenv("CURATOR_RECALL__LIMIT", "9")
    found = settings()
    assert (found.recall.limit, found.recall.budget, found.distil.per_exchange) == (9, 300, 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[recall\n", "not TOML"),
        ("[recall]\nlimit = 'many'\n", "recall.limit"),
        ("[recall]\nlimmit = 3\n", "recall.limmit"),
        ("[colours]\nred = 1\n", r"\[colours\]"),
        ("[distil]\nsurprise = 3\n", "distil.surprise"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(text: str, said: str) -> None:
    file = write(text)
    with pytest.raises(ConfigError, match=said) as caught:
        settings()
    assert str(file) in str(caught.value)


def test_every_setting_is_explained() -> None:
    assert len(explained()) >= 8
    assert all(text for _, _, text in explained())


def test_without_a_home_the_platforms_folders_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CURATOR_HOME")
    assert "curator" in str(paths.store_folder())
    assert paths.config_file().name == "config.toml"
    monkeypatch.delenv("CURATOR_CACHE")
    assert paths.cache_folder().is_absolute()
    monkeypatch.setenv("CURATOR_HOME", os.sep + "somewhere")
    assert paths.store_folder() == Path(os.sep + "somewhere") / "store"
