"""GRPO's loss and gradients by TRL, for packages/losses/src/grpo.test.ts.

python write_grpo.py; it writes packages/losses/fixtures/grpo.json. Needs `pip install --no-deps trl==1.16.0` beside torch: the method
`GRPOTrainer._compute_loss` is taken from TRL's file as it stands and run in float64 on an object with the settings that it reads, so that
neither a model nor a trainer is made. Its log-probabilities are given instead of computed, and are what is differentiated.

Each case is an optimizer step of several micro-batches of answers of different lengths: random log-probabilities now, when drawn and of the
reference, and advantages. `loss` is the sum over the micro-batches, `gradient` that of each token's log-probability.
"""

import ast
import importlib.util
import json
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import torch

LENGTHS = [[5, 2, 7], [1, 4, 3]]
MAX_LENGTH = 8


def compute_loss():
    package = Path(importlib.util.find_spec("trl").origin).parent
    tree = ast.parse((package / "trainer/grpo_trainer.py").read_text())
    trainer = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "GRPOTrainer")
    method = next(node for node in trainer.body if isinstance(node, ast.FunctionDef) and node.name == "_compute_loss")
    space = {"torch": torch, "nanmin": torch.min, "nanmax": torch.max}
    exec(compile(ast.Module([method], []), "grpo_trainer.py", "exec"), space)
    return space["_compute_loss"]


def trainer(loss_type, beta, clip, ratio):
    return SimpleNamespace(
        loss_type=loss_type, beta=beta, epsilon_low=clip[0], epsilon_high=clip[1],
        max_completion_length=MAX_LENGTH, current_gradient_accumulation_steps=len(LENGTHS),
        args=SimpleNamespace(delta=None, use_bias_correction_kl=False, steps_per_generation=len(LENGTHS)),
        model=SimpleNamespace(training=True), _metrics={"train": defaultdict(list)},
        accelerator=SimpleNamespace(num_processes=1, gather=lambda x: x, reduce=lambda x, reduction: x),
        importance_sampling_level={"token": "token", "answer": "sequence"}[ratio], top_entropy_quantile=1.0, off_policy_mask_threshold=None,
        use_vllm=False, aux_loss_enabled=False, _entropy_bonus_enabled=False,
    )


def micro_batch(lengths):
    shape = (len(lengths), max(lengths))
    now = -3 * torch.rand(shape, dtype=torch.float64)
    return {
        "now": now.requires_grad_(),
        "sampled": (now + 0.4 * torch.randn(shape, dtype=torch.float64)).detach(),
        "reference": (now + 0.5 * torch.randn(shape, dtype=torch.float64)).detach(),
        "advantages": torch.randn(len(lengths), dtype=torch.float64),
        "mask": (torch.arange(shape[1])[None] < torch.tensor(lengths)[:, None]).long(),
    }


def ragged(tensor, lengths):
    return [row[:length].tolist() for row, length in zip(tensor.detach(), lengths)]


def case(loss_type, beta, clip, ratio="token"):
    batches = [micro_batch(lengths) for lengths in LENGTHS]
    step = trainer(loss_type, beta, clip, ratio)
    tokens = torch.tensor(sum(map(sum, LENGTHS)))
    loss = 0
    for batch in batches:
        step._get_per_token_logps_and_entropies = lambda *_, **__: (batch["now"], torch.zeros_like(batch["now"]), None)
        empty = torch.zeros((len(batch["now"]), 0), dtype=torch.long)
        loss = loss + compute_loss()(step, None, {
            "prompt_ids": empty, "prompt_mask": empty, "completion_ids": batch["mask"], "completion_mask": batch["mask"],
            "advantages": batch["advantages"], "old_per_token_logps": batch["sampled"],
            "ref_per_token_logps": batch["reference"], "num_items_in_batch": tokens,
        })
    loss.backward()
    pairs = list(zip(batches, LENGTHS))
    every = lambda name: [row for batch, lengths in pairs for row in ragged(batch[name], lengths)]
    return {
        "normalization": loss_type, "ratio": ratio, "beta": beta, "clip": {"low": clip[0], "high": clip[1]},
        "microBatchSize": len(LENGTHS[0]), "maxLength": MAX_LENGTH,
        "logProbabilities": every("now"), "sampled": every("sampled"), "reference": every("reference"),
        "advantages": [value for batch in batches for value in batch["advantages"].tolist()],
        "loss": loss.item(),
        "gradient": [row for batch, lengths in pairs for row in ragged(batch["now"].grad, lengths)],
        "kl": sum(value * sum(lengths) for value, lengths in zip(step._metrics["train"]["kl"], LENGTHS)) / tokens.item()
        if beta else None,
        "clipShare": sum(value * sum(lengths) for value, lengths in zip(step._metrics["train"]["clip_ratio/region_mean"], LENGTHS)) / tokens.item(),
    }


torch.manual_seed(0)
cases = [
    case(loss_type, beta, clip)
    for loss_type in ("grpo", "bnpo", "dr_grpo", "dapo")
    for beta, clip in ((0.0, (0.2, 0.2)), (0.04, (0.2, 0.28)), (0.5, (0.1, 0.3)))
] + [case(loss_type, 0.0, (0.1, 0.15), "answer") for loss_type in ("grpo", "bnpo", "dr_grpo", "dapo")]
folder = Path(__file__).parents[2] / "packages/losses/fixtures"
folder.mkdir(exist_ok=True)
(folder / "grpo.json").write_text(json.dumps(cases))
