"""What a person asks an assistant to remember, and to do in every later prompt."""
