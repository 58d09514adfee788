"""Display names in the app."""

import pytest

from curator.importers import Format
from curator.tui import labels


@pytest.mark.parametrize("log_format", Format, ids=str)
def test_a_source_is_shown_by_the_name_of_its_format(log_format: Format) -> None:
    assert Format(str(log_format)) is log_format and log_format.display_name
    assert labels.source(str(log_format)) == log_format.display_name


def test_other_sources_are_shown_as_stored() -> None:
    assert labels.source("claude-code") == "Claude Code" and labels.source("typed") == "typed"
    assert labels.source(None) is None
