"""The parts that screens are made of. None of them touches the store."""
