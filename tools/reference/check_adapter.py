"""Opens a checkpoint's adapter in PEFT and the model it was merged into in transformers; both must say the same.

    npx emac model merge BASE CHECKPOINT MERGED --dtype float32
    python tools/reference/check_adapter.py BASE CHECKPOINT MERGED [PUBLISHED]

Of any family; for OpenVLA PUBLISHED is the folder that `write_openvla_fixtures.py` names, and the environment its own. PEFT may adapt nothing but the projections that the checkpoint holds, so none of the eye's.
"""

import json
import sys
from pathlib import Path

import torch
from peft import PeftModel
from safetensors.torch import load_file


@torch.no_grad()
def main(base, checkpoint, merged, published=None):
    model, whole = (opened(place, published) for place in (base, merged))
    torch.manual_seed(0)
    embeddings = torch.randn(2, 9, model.get_input_embeddings().weight.shape[1])
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


def opened(place, published):
    if published is None:
        from transformers import AutoModelForImageTextToText

        return AutoModelForImageTextToText.from_pretrained(place, dtype=torch.float32).eval()
    import random_openvla

    config = json.loads((Path(place) / "config.json").read_text())
    for name, arguments in zip(config["timm_model_ids"], config.get("timm_model_args", [])):
        random_openvla.register_eye(name, arguments)
    _, model, _ = random_openvla.published(published)
    return model.from_pretrained(place, torch_dtype=torch.float32).eval()


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
