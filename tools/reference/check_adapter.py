"""Opens a checkpoint's adapter in PEFT and the model it was merged into in transformers; both must say the same.

    npx emac model merge BASE CHECKPOINT MERGED --dtype float32
    python tools/reference/check_adapter.py BASE CHECKPOINT MERGED
"""

import sys

import torch
from peft import PeftModel
from safetensors.torch import load_file
from transformers import InstructBlipForConditionalGeneration


@torch.no_grad()
def main(base, checkpoint, merged):
    opened = lambda place: InstructBlipForConditionalGeneration.from_pretrained(place, dtype=torch.float32).eval()
    model, whole = opened(base), opened(merged)
    torch.manual_seed(0)
    embeddings = torch.randn(2, 9, model.config.text_config.hidden_size)
    logits = lambda each: each.language_model(inputs_embeds=embeddings).logits
    plain = logits(model)
    adapted = logits(PeftModel.from_pretrained(model, checkpoint).base_model.model)
    error = ((logits(whole) - adapted).abs().max() / adapted.abs().max()).item()
    projection = load_file(f"{checkpoint}/projection.safetensors")["language_projection.weight"]
    print(f"the adapter moves logits by {(adapted - plain).abs().max().item():.3g}, merged they differ by {error:.3g}")
    if error > 1e-5 or torch.equal(adapted, plain) or not torch.equal(whole.language_projection.weight, projection):
        raise SystemExit("the checkpoint and the merged model are not the same policy")


if __name__ == "__main__":
    main(*sys.argv[1:])
