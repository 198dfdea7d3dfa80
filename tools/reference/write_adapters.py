"""Writes PEFT adapters of the comparison folders' models, with what PEFT and transformers compute under them.

    python tools/reference/write_adapters.py

Each folder of packages/backbone/fixtures/adapters holds an adapter as `save_pretrained` writes it (drawn A and B, so
that B is not zero), and `expected.safetensors` on the inputs of `base`: logits, log-probabilities, loss, the gradients
of A and B, the tokens of two generations, and the logits of the merged model.
"""

import json
import shutil
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file
from safetensors.torch import save as safetensors
from transformers import InstructBlipForConditionalGeneration

from reference_run import generate, sequence_log_probs

FIXTURES = Path(__file__).parents[2] / "packages/backbone/fixtures"
ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"]
ALL = [*ATTENTION, "gate_proj", "up_proj", "down_proj"]
VARIANTS = {
    "all-linear": {"base": "float32", "seed": 1, "targets": ALL, "r": 4, "alpha": 8},
    "queries-and-values": {"base": "grouped-keys", "seed": 2, "targets": ["q_proj", "v_proj"], "r": 8, "alpha": 4,
                           "file": "bin"},
    "half-precision-base": {"base": "float16", "seed": 3, "targets": ALL, "r": 2, "alpha": 6},
    "biases-and-stabilized-rank": {"base": "biases", "seed": 4, "targets": ["o_proj", "down_proj"], "r": 3, "alpha": 5,
                                   "use_rslora": True},
    "language-model-alone": {"base": "sharded", "seed": 5, "targets": ["up_proj", "k_proj"], "r": 5, "alpha": 10},
}
SEARCHES = [
    {"definition": "huggingface", "num_beams": 1, "max_new_tokens": 12},
    {"definition": "huggingface", "num_beams": 5, "max_new_tokens": 12},
]


def write(name, variant):
    folder = FIXTURES / "adapters" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    base = FIXTURES / "comparison" / variant["base"]
    model = InstructBlipForConditionalGeneration.from_pretrained(base, dtype=torch.float32).eval()
    alone = name == "language-model-alone"
    # PEFT matches names by their endings, and the eye's projections are named otherwise
    config = LoraConfig(r=variant["r"], lora_alpha=variant["alpha"], lora_dropout=0.0, bias="none",
                        task_type="CAUSAL_LM" if alone else None, use_rslora=variant.get("use_rslora", False),
                        target_modules=variant["targets"])
    torch.manual_seed(variant["seed"])
    adapted = get_peft_model(model.language_model if alone else model, config)
    if alone:
        model.language_model = adapted.base_model.model
    # A is drawn as PEFT draws it, uniform within one over the root of its inputs; B would begin as zero
    for key, parameter in sorted(adapted.named_parameters()):
        if "lora_B" in key:
            torch.nn.init.normal_(parameter, std=0.3)
    # versions before 0.7 wrote adapter_model.bin
    adapted.save_pretrained(folder, safe_serialization=variant.get("file") != "bin")
    (folder / "README.md").unlink()
    expected = run(model, adapted, load_file(base / "inputs.safetensors"), json.loads((base / "fixture.json").read_text()))
    expected["merged_logits"] = merged_logits(base, folder, alone)
    (folder / "expected.safetensors").write_bytes(safetensors(
        {key: value.detach().clone().contiguous() for key, value in expected.items()}))
    tidy(folder / "adapter_config.json", variant["base"])
    print(name, sorted(file.name for file in folder.iterdir()), f"loss {expected['loss'].item():.4f}")


def tidy(path, base):
    """The base by its folder's name, targets in an order of their own."""
    config = json.loads(path.read_text())
    config.update(base_model_name_or_path=base, target_modules=sorted(config["target_modules"]))
    path.write_text(json.dumps(config, indent=2) + "\n")


def run(model, adapted, inputs, fixture):
    output = model(**inputs)
    output.loss.backward()
    expected = {
        "logits": output.logits,
        "sequence_log_probs": sequence_log_probs(output.logits, inputs["labels"]),
        "loss": output.loss.reshape(1),
    }
    for key, parameter in adapted.named_parameters():
        if "lora_" in key:
            expected["grad." + key.replace(".default", "")] = parameter.grad
    lengths = {entry["row"]: entry["prompt_length"] for entry in fixture["generation"]}
    for number, search in enumerate(SEARCHES):
        for row, length in lengths.items():
            expected[f"generated_{number}_{row}"] = torch.tensor([generate(model, inputs, row, length, search)])
    return expected


@torch.no_grad()
def merged_logits(base, folder, alone):
    """Logits after merge_and_unload, from the files as they were written."""
    model = InstructBlipForConditionalGeneration.from_pretrained(base, dtype=torch.float32).eval()
    if alone:
        model.language_model = PeftModel.from_pretrained(model.language_model, folder).merge_and_unload()
    else:
        model = PeftModel.from_pretrained(model, folder).merge_and_unload()
    inputs = load_file(base / "inputs.safetensors")
    return model(**inputs).logits


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name, variant in VARIANTS.items():
        write(name, variant)
