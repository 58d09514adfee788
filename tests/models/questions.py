"""A question for chat models, and scenarios that answer it."""

from curator.models import Question
from curator.models.server_types import Timeouts
from fake_ollama.scenario import CHAT, Said, Scenario, Script

SCHEMA = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}},
    "required": ["items"],
}
ASKED = Question("Answer in JSON.", "Which trees stand at the pond?", SCHEMA, limit=200)
QUICK = Timeouts(first_byte=0.3, between=0.3, total=0.6, short=0.5)


def saying(said: Said | str) -> Scenario:
    """Return a scenario whose one model gives this answer to the question."""
    return Scenario(models=(CHAT,), scripts=(Script("pond", said),))
