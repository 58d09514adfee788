"""Adding and removing Curator's table leaves any TOML file unchanged."""

import tomllib

from hypothesis import assume, given
from hypothesis import strategies as st

from connect.conftest import COMMAND
from curator.connect import edit_toml
from curator.connect.hosts import HOSTS

PART = HOSTS["codex"].files[0]
BLOCKS = (
    "a{n} = 1 # x",
    "\n# a comment",
    "",
    '[mcp_servers.s{n}] # y\ncommand = "x"\nargs = [\n  "a", # b\n]',
    '[projects."/a b{n}"]\nt = "x"',
    '[mcp_servers.s{n}.env]\nA = "1"',
    "[[list]]\nx = {n}",
    '[hooks.state."k:{n}"]\nenabled = true',
    '[t{n}]\ns = """\n[mcp_servers.curator]\n"""',
)
documents = st.builds(
    lambda blocks, end, eol: ("\n".join(block.replace("{n}", str(n)) for n, block in enumerate(blocks)) + end).replace(
        "\n", eol
    ),
    st.lists(st.sampled_from(BLOCKS), max_size=6),
    st.sampled_from(("", "\n", "\n\n", "\n# end", "  \n")),
    st.sampled_from(("\n", "\r\n")),
)


@given(documents)
def test_connecting_can_be_undone(text: str) -> None:
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assume(False)
    written = edit_toml.connect(text, PART, COMMAND).text
    after = tomllib.loads(written)
    assert after["mcp_servers"].pop("curator")["command"] == COMMAND[0]
    assert after == before or after == {**before, "mcp_servers": {}}
    assert edit_toml.connect(written, PART, COMMAND).text == written
    assert edit_toml.disconnect(written, PART, ()) == text
    updated = edit_toml.connect(written, PART, ("/x/curator",)).text
    assert tomllib.loads(updated)["mcp_servers"]["curator"]["args"] == ["mcp"]
    assert edit_toml.disconnect(updated, PART, ()) == text


def test_tables_below_curators_go_with_it_and_comments_of_the_next_stay() -> None:
    text = (
        '[mcp_servers.curator]\ncommand = "/x/curator"\nargs = ["mcp"]\n\n'
        '[mcp_servers.curator.tools.propose]\napproval_mode = "approve"\n\n# mine\n[other]\nb = 1\n'
    )
    assert edit_toml.disconnect(text, PART, ()) == "\n# mine\n[other]\nb = 1\n"
