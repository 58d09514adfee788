"""Make reference_vectors.npy: vectors of the reference implementation for the texts in reference_texts.json.

    python tests/models/make_reference.py FOLDER      # of all-MiniLM-L6-v2, as sentence-transformers reads it

Run once with sentence-transformers 6.2.0 and torch 2.13.0 on a CPU, in a separate environment; neither is needed by the
program or its tests. The texts are ours. float32, (texts, 384), each of length 1.
"""

import json
import sys
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

here = Path(__file__).parent
texts = json.loads((here / "reference_texts.json").read_text(encoding="utf-8"))
model = SentenceTransformer(sys.argv[1], device="cpu")
model.max_seq_length = 256
vectors = model.encode(texts, batch_size=1, normalize_embeddings=True, convert_to_numpy=True)
np.save(here / "reference_vectors.npy", vectors.astype(np.float32))
