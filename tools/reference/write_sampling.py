"""What transformers' warpers leave to draw from, for packages/backbone/src/generation/search/sampling.test.ts.

python write_sampling.py; it writes packages/backbone/fixtures/sampling.json.

Each case: logits, settings, the probabilities after temperature, top-k and top-p in transformers' order, and what torch says
in float64 of the whole distribution at the temperature: every token's log-probability, and the entropy.
"""

import json
from pathlib import Path

import torch
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

SETTINGS = [(1.0, None, 1.0), (0.2, None, 1.0), (1.7, 5, 1.0), (0.7, None, 0.9), (1.3, 12, 0.6), (1.0, 3, 0.05)]


def case(seed, temperature, top_k, top_p):
    torch.manual_seed(seed)
    logits = (3 * torch.randn(1, 40)).float()
    scores = logits
    for warper in (
        [TemperatureLogitsWarper(temperature)]
        + ([TopKLogitsWarper(top_k)] if top_k else [])
        + ([TopPLogitsWarper(top_p)] if top_p < 1 else [])
    ):
        scores = warper(None, scores)
    whole = torch.distributions.Categorical(logits=logits[0].double() / temperature)
    return {
        "logits": logits[0].tolist(),
        "settings": {"temperature": temperature, "topK": top_k, "topP": top_p},
        "probabilities": torch.softmax(scores[0].double(), 0).tolist(),
        "logProbabilities": whole.logits.tolist(),
        "entropy": whole.entropy().item(),
    }


path = Path(__file__).parents[2] / "packages/backbone/fixtures/sampling.json"
path.write_text(json.dumps([case(seed, *settings) for seed, settings in enumerate(SETTINGS)]))
