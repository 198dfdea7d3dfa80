"""Seconds and memory of one behaviour-cloning step of a language model in PyTorch on a CPU, for comparison.

    python tools/reference/bench_large.py FOLDER [--dtype float16] [--lora RANK] [--visual-tokens 32] [--text-tokens 512]
        [--steps 1] [--threads N] [--layers N] [--act N]

FOLDER is what tools/dist/large-model/write-model.js writes. Only the language model is loaded, from the same safetensors
(13.5 GB of InstructBLIP in float16, 6.2 of Qwen2.5-VL-3B, twice that in float32). The step: random visual embeddings
before the text tokens, logits at the 17 label positions alone, cross-entropy, backward to the visual embeddings, or with
--lora (which needs peft) to a new adapter of every projection, and its update by AdamW. Frozen weights get no gradient.
Positions have one axis, Qwen's too. `--layers` loads the first layers only, to extrapolate by layer.
"""

import argparse
import json
import os
import time

import torch
from safetensors import safe_open
from transformers import AutoModelForCausalLM, LlamaConfig, MistralConfig, Qwen2Config

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def status(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024 / 1e9


def text_config(folder, layers):
    """The language model's configuration, and what its names begin with in the files."""
    with open(os.path.join(folder, "config.json")) as file:
        text = json.load(file)["text_config"]
    if layers:
        text["num_hidden_layers"] = layers
    kind = text.pop("model_type")
    if kind == "qwen2_5_vl_text":
        del text["rope_scaling"]
        return Qwen2Config(**text), ""
    return {"llama": LlamaConfig, "mistral": MistralConfig}[kind](**text), "language_model."


def load(folder, layers, dtype):
    config, prefix = text_config(folder, layers)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, attn_implementation="sdpa", torch_dtype=dtype)
    with open(os.path.join(folder, "model.safetensors.index.json")) as file:
        places = json.load(file)["weight_map"]
    wanted = {prefix + name for name, _ in model.named_parameters()}
    for shard in sorted({places[name] for name in wanted}):
        with safe_open(os.path.join(folder, shard), "pt") as tensors:
            # copied: safetensors maps the file, and mapped pages would be counted beside nothing else here
            state = {
                name[len(prefix) :]: tensors.get_tensor(name).to(dtype, copy=True)
                for name in tensors.keys()
                if name in wanted
            }
        model.load_state_dict(state, strict=False, assign=True)
    model.tie_weights()
    # what is no parameter was made on the meta device: the rotary embedding's frequencies
    model.model.rotary_emb = type(model.model.rotary_emb)(model.config)
    return model.eval().requires_grad_(False)


def adapted(model, rank):
    """The same model, whose projections have a new adapter, and what updates that."""
    from peft import LoraConfig, inject_adapter_in_model

    model = inject_adapter_in_model(LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=TARGETS), model)
    trained = [each for name, each in model.named_parameters() if "lora_" in name]
    for each in trained:
        # float32 whatever the base is, as get_peft_model has them
        each.data = each.data.float()
    return torch.optim.AdamW(trained, lr=1e-5)


def step(model, visual, tokens, answer):
    embeddings = torch.cat([visual, model.model.embed_tokens(tokens)], 1)
    started, work = time.perf_counter(), time.process_time()
    hidden = model.model(inputs_embeds=embeddings, use_cache=False).last_hidden_state
    logits = model.lm_head(hidden[:, -answer - 1 : -1]).float()
    loss = torch.nn.functional.cross_entropy(logits[0], tokens[0, -answer:])
    forward = time.perf_counter()
    loss.backward()
    return loss.item(), forward - started, time.perf_counter() - forward, time.process_time() - work


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--dtype", choices=["float16", "bfloat16", "float32"], default="float16")
    parser.add_argument("--lora", type=int, default=0)
    parser.add_argument("--visual-tokens", type=int, default=32)
    parser.add_argument("--text-tokens", type=int, default=512)
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--layers", type=int, default=0)
    parser.add_argument("--act", type=int, default=0)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    dtype = getattr(torch, options.dtype)
    started = time.perf_counter()
    model = load(options.folder, options.layers, dtype)
    optimizer = adapted(model, options.lora) if options.lora else None
    print(f"loaded in {time.perf_counter() - started:.1f} s, resident {status('VmRSS'):.2f} GB, {torch.get_num_threads()} threads")
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(3, 80, (1, options.text_tokens), generator=generator)
    visual = torch.randn(1, options.visual_tokens, model.config.hidden_size, generator=generator).to(dtype)
    for number in range(options.steps):
        begun = time.perf_counter()
        visual = visual.detach().requires_grad_(optimizer is None)
        loss, forward, backward, work = step(model, visual, tokens, 17)
        trained = optimizer.param_groups[0]["params"] if optimizer else [visual]
        norm = torch.stack([each.grad.float().norm() for each in trained]).norm()
        if optimizer:
            optimizer.step()
            optimizer.zero_grad()
        print(
            f"step {number + 1}: forward {forward:.2f} s, backward {backward:.2f} s, with the update {time.perf_counter() - begun:.2f} s, "
            f"{work:.1f} s of all cores, loss {loss:.4f}, gradient {norm:.3g}, peak {status('VmHWM'):.2f} GB",
            flush=True,
        )
    if options.act:
        with torch.inference_mode():
            embeddings = torch.cat([visual, model.model.embed_tokens(tokens)], 1)
            for count in (1, options.act):
                begun = time.perf_counter()
                model.generate(inputs_embeds=embeddings, min_new_tokens=count, max_new_tokens=count, do_sample=False, pad_token_id=0)
                print(f"{count} tokens after the prompt: {time.perf_counter() - begun:.2f} s, peak {status('VmHWM'):.2f} GB")


main()
