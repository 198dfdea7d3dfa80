"""Writes a BC step and a DPO step on the shipped model as PyTorch computes them, and three AdamW steps from there.

    python tools/reference/write_training_steps.py

Needs the scenes of `write_emma_tiny.py`. Only the projection learns; what it reads are the Q-Former's outputs,
rounded to float16. Each phase with both projections: `linear`, the model's own, and `mlp`, random.
"""

import copy
import json

import torch
from safetensors.torch import save
from torch.nn import GELU, Linear, Sequential
from torch.nn.functional import logsigmoid

from emma_tiny import FIXTURES, load_model, load_scenes, load_tokenizer, no_text, prompt_ids, target_ids

FOLDER = FIXTURES / "training-steps"
HIDDEN = 24
SETTINGS = {
    "beta": 0.1, "mix_ratio": 0.5, "learning_rate": 1e-3, "betas": [0.9, 0.999], "epsilon": 1e-8,
    "weight_decay": 0.05, "steps": 3, "hidden_width": HIDDEN,
}


class Batch:
    """Rows of scenes with one target each, padded on the right, and their log-probabilities under a projection."""

    def __init__(self, model, scenes, features, which):
        tokenizer = load_tokenizer()
        self.model, self.features = model.language_model, features
        prompts = [prompt_ids(tokenizer, scene["text"]) for scene in scenes]
        targets = [target_ids(tokenizer, scene["text"], scene[which]) for scene in scenes]
        width = max(len(prompt + target) for prompt, target in zip(prompts, targets))
        fill = lambda row, value: row + [value] * (width - len(row))
        self.ids = torch.tensor([fill(prompt + target, tokenizer.pad_token_id) for prompt, target in zip(prompts, targets)])
        self.mask = torch.tensor([fill([1] * len(prompt + target), 0) for prompt, target in zip(prompts, targets)])
        self.labelled = torch.tensor([
            fill([False] * len(prompt) + [True] * len(target), False) for prompt, target in zip(prompts, targets)
        ])

    def log_probabilities(self, projection):
        """[B, T−1], 0 where there is no label."""
        visual = projection(self.features)
        embeddings = torch.cat([visual, self.model.get_input_embeddings()(self.ids)], 1)
        ones = torch.ones(visual.shape[:2], dtype=torch.long)
        logits = self.model(inputs_embeds=embeddings, attention_mask=torch.cat([ones, self.mask], 1)).logits
        of_text = logits[:, visual.shape[1] : -1].log_softmax(-1)
        return of_text.gather(2, self.ids[:, 1:, None]).squeeze(2) * self.labelled[:, 1:]

    def means(self, projection):
        """[B], mean over the target's tokens."""
        return self.log_probabilities(projection).sum(1) / self.labelled.sum(1)


def bc_loss(projection, chosen, **_):
    """Token mean over the batch."""
    return -chosen.log_probabilities(projection).sum() / chosen.labelled.sum()


def dpo_loss(projection, chosen, rejected, reference):
    """Mean token log-probabilities, DPO with β, and a part of −log π(chosen)."""
    policy = [batch.means(projection) for batch in (chosen, rejected)]
    difference = (policy[0] - policy[1]) - (reference[0] - reference[1])
    return (-logsigmoid(SETTINGS["beta"] * difference) - SETTINGS["mix_ratio"] * policy[0]).mean()


def named(projection):
    return {f"language_projection.{name}": value for name, value in projection.named_parameters()}


def three_steps(projection, loss_of):
    """Loss and gradients at the start, and the parameters after the steps."""
    projection = copy.deepcopy(projection)
    parameters = named(projection)
    decayed = [value for value in parameters.values() if value.ndim > 1]
    others = [value for value in parameters.values() if value.ndim == 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": SETTINGS["weight_decay"]}, {"params": others, "weight_decay": 0.0}],
        lr=SETTINGS["learning_rate"], betas=SETTINGS["betas"], eps=SETTINGS["epsilon"],
    )
    losses = []
    for step in range(SETTINGS["steps"]):
        optimizer.zero_grad()
        loss = loss_of(projection)
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            gradients = {name: value.grad.clone() for name, value in parameters.items()}
        optimizer.step()
    return losses, gradients, {name: value.detach() for name, value in parameters.items()}


def perturbed(projection):
    """A copy with every parameter a tenth of its own spread away."""
    projection = copy.deepcopy(projection)
    with torch.no_grad():
        for value in projection.parameters():
            value += 0.1 * value.std() * torch.randn(value.shape)
    return projection


def projections(model):
    torch.manual_seed(1)
    linear = model.language_projection
    return {
        "linear": linear,
        "mlp": Sequential(Linear(linear.in_features, HIDDEN), GELU(), Linear(HIDDEN, linear.out_features)),
    }


def write_projection(kind, start, batches):
    reference = perturbed(start)
    with torch.no_grad():
        means = [batch.means(reference) for batch in batches.values()]
        policy = [batch.means(start) for batch in batches.values()]
    tensors = {f"reference.{name}": value for name, value in named(reference).items()}
    if kind == "mlp":
        tensors |= {f"start.{name}": value for name, value in named(start).items()}
    described = {
        "policy_chosen": policy[0].tolist(), "policy_rejected": policy[1].tolist(),
        "reference_chosen": means[0].tolist(), "reference_rejected": means[1].tolist(),
    }
    for phase, loss in {"bc": bc_loss, "dpo": dpo_loss}.items():
        losses, gradients, after = three_steps(start, lambda projection: loss(projection, **batches, reference=means))
        described[f"{phase}_losses"] = losses
        tensors |= {f"{phase}.gradient.{name}": value for name, value in gradients.items()}
        tensors |= {f"{phase}.after.{name}": value for name, value in after.items()}
    (FOLDER / f"{kind}.safetensors").write_bytes(save({name: value.detach().contiguous() for name, value in tensors.items()}))
    return described


def main():
    torch.set_num_threads(1)
    FOLDER.mkdir(parents=True, exist_ok=True)
    model, scenes = load_model(), load_scenes()
    for value in model.parameters():
        value.requires_grad_(False)
    pixel_values = torch.stack([scene["pixel_values"] for scene in scenes])
    output = model.get_image_features(pixel_values, qformer_input_ids=no_text(len(scenes)), return_dict=True)[2]
    features = output.last_hidden_state[:, : model.config.num_query_tokens].half()
    (FOLDER / "features.safetensors").write_bytes(save({"features": features.contiguous()}))
    batches = {which: Batch(model, scenes, features.float(), which) for which in ("chosen", "rejected")}
    described = {}
    for kind, start in projections(model).items():
        described[kind] = write_projection(kind, start.requires_grad_(True), batches)
        print(kind, json.dumps(described[kind]))
    (FOLDER / "steps.json").write_text(json.dumps({**SETTINGS, **described}) + "\n")


if __name__ == "__main__":
    main()
