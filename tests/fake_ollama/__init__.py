"""A stand-in for an Ollama server: it speaks the wire protocol, does what a scenario says, and notes who called."""
