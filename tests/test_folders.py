"""Location of the data folder."""

import sys
from pathlib import Path

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from curator import folders


@pytest.mark.parametrize("platform, reference", [("linux", Unix), ("darwin", MacOS)])
@pytest.mark.parametrize("data", [None, "", "/data/of mine", "relative", "/data/"])
@pytest.mark.parametrize("home", ["/home/nora", "/home/nora/", "/"])
def test_it_is_where_platformdirs_says(
    monkeypatch: pytest.MonkeyPatch, platform: str, reference: type[Unix | MacOS], data: str | None, home: str
) -> None:
    monkeypatch.delenv("CURATOR_HOME", raising=False)
    monkeypatch.setenv("HOME", home)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    if data is not None:
        monkeypatch.setenv("XDG_DATA_HOME", data)
    expected = reference("curator", appauthor=False).user_data_path
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setitem(sys.modules, "platformdirs", None)  # must not be imported
    assert Path(folders.data()) == expected
