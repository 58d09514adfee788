"""Models of a server that speaks the OpenAI protocol, such as LM Studio, llama.cpp and vLLM.

Light to import: the client library is loaded when a server is opened.
"""

from curator.models.openai.server import Server

__all__ = ["Server"]
