"""From what a person said to candidates for memories, by rule."""

from curator.distill.candidate import DISTILLER, Candidate, Distilled, ForgetRequest
from curator.distill.novelty import surprise
from curator.distill.rules import distil
from curator.injection import flag_injection

__all__ = ["DISTILLER", "Candidate", "Distilled", "ForgetRequest", "distil", "flag_injection", "surprise"]
