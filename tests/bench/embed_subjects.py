"""Embed the example prompts of subject_prompts.tsv for `curator/recall/prompt_subjects.py`.

python tests/bench/embed_subjects.py
"""

from hashlib import sha256
from pathlib import Path

import numpy as np

from curator.models import load_embedder
from curator.paths import cache_folder

EXAMPLES = Path(__file__).with_name("subject_prompts.tsv")
FILE = Path(__file__).parents[2] / "curator" / "recall" / "prompt_subjects.npz"


def main() -> None:
    """Write the vectors with eight bits per number, the subjects, and the checksum of the examples."""
    lines = EXAMPLES.read_text("utf-8").splitlines()
    rows = [line.partition("\t")[::2] for line in lines if line and not line.startswith("#")]
    vectors = load_embedder("minilm", cache_folder()).embed_query([prompt for _, prompt in rows])
    scale = 127 / np.abs(vectors).max(axis=1, keepdims=True)
    np.savez_compressed(
        FILE,
        vectors=np.round(vectors * scale).astype(np.int8),
        labels=np.array([subjects for subjects, _ in rows]),
        checksum=np.array(sha256(EXAMPLES.read_bytes()).hexdigest()),
    )
    print(f"{len(rows)} prompts, {FILE.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
