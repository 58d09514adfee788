"""A stand-in for an Ollama server: it speaks the wire protocol, follows a scenario, and logs its requests."""
