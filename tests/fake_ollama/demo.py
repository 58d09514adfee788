"""Scenario for the demonstration."""

from __future__ import annotations

from fake_ollama.rule_model import answer
from fake_ollama.scenario import Model, Scenario

LLAMA = Model("llama3.2:3b", family="llama", parameters="3.2B", size=2_019_393_189, context=131_072)

DEMO = Scenario(mind=answer, library=(LLAMA,))
"""A chat model that does its tasks by simple rules, and another model that can be pulled."""
