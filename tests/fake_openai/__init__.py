"""A stand-in for servers that speak the OpenAI protocol: LM Studio, llama.cpp, vLLM."""
