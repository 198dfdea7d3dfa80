"""Opens a checkpoint's adapter in PEFT and the model it was merged into in transformers; both must say the same.

    npx emac model merge BASE CHECKPOINT MERGED --dtype float32
    python tools/reference/check_adapter.py BASE CHECKPOINT MERGED

Of any family. PEFT may adapt nothing but the projections that the checkpoint holds, so none of the eye's.
"""

import sys

import torch
from peft import PeftModel
from safetensors.torch import load_file
from transformers import AutoModelForImageTextToText


@torch.no_grad()
def main(base, checkpoint, merged):
    opened = lambda place: AutoModelForImageTextToText.from_pretrained(place, dtype=torch.float32).eval()
    model, whole = opened(base), opened(merged)
    torch.manual_seed(0)
    embeddings = torch.randn(2, 9, model.config.get_text_config().hidden_size)
    plain = logits(model, embeddings)
    peft = PeftModel.from_pretrained(model, checkpoint)
    adapted = logits(peft.base_model.model, embeddings)
    error = ((logits(whole, embeddings) - adapted).abs().max() / adapted.abs().max()).item()
    print(f"the adapter moves logits by {(adapted - plain).abs().max().item():.3g}, merged they differ by {error:.3g}")
    if error > 1e-5 or torch.equal(adapted, plain) or not holds(whole, load_file(f"{checkpoint}/projection.safetensors")):
        raise SystemExit("the checkpoint and the merged model are not the same policy")
    stored = set(load_file(f"{checkpoint}/adapter_model.safetensors"))
    others = {key.replace(".default", "") for key in peft.state_dict() if "lora_" in key} ^ stored
    if others:
        raise SystemExit(f"PEFT adapts other projections than the checkpoint: {sorted(others)[:3]} …")


def logits(model, embeddings):
    output = model.language_model(inputs_embeds=embeddings)
    return output.logits if hasattr(output, "logits") else model.lm_head(output.last_hidden_state)


def holds(model, projection):
    """Whether the model has every tensor of the projection, which families name differently."""
    own = list(model.state_dict().values())
    return all(any(value.shape == other.shape and torch.equal(value, other) for other in own)
               for value in projection.values())


if __name__ == "__main__":
    main(*sys.argv[1:])
