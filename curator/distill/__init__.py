"""Rule-based distilling of messages into candidates for memories."""

from curator.distill.candidate import DISTILLER, Candidate, Distilled, ForgetRequest
from curator.distill.rules import distil
from curator.distill.surprise import surprise
from curator.injection import flag_injection

__all__ = ["DISTILLER", "Candidate", "Distilled", "ForgetRequest", "distil", "flag_injection", "surprise"]
