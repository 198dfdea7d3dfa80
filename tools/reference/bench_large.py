"""Seconds and memory of one behaviour-cloning step of a LLaMA in PyTorch float16 on a CPU, for comparison.

    python tools/reference/bench_large.py FOLDER [--text-tokens 512] [--steps 1] [--threads N] [--layers N] [--act N]

FOLDER is what tools/dist/large-model/write-model.js writes. Only the language model is loaded (13.5 GB at the
published size), in float16, from the same safetensors. The step: random visual embeddings [1, 32, D] that need a
gradient before 512 text tokens, logits at the 17 label positions alone, cross-entropy, backward to the visual embeddings.
Frozen weights get no gradient. `--layers` loads the first layers only, to extrapolate by layer.
"""

import argparse
import json
import os
import time

import torch
from safetensors import safe_open
from transformers import LlamaConfig, LlamaForCausalLM


def status(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024 / 1e9


def load(folder, layers):
    with open(os.path.join(folder, "config.json")) as file:
        text = json.load(file)["text_config"]
    if layers:
        text["num_hidden_layers"] = layers
    with torch.device("meta"):
        model = LlamaForCausalLM(LlamaConfig(**text, attn_implementation="sdpa"))
    model = model.to(torch.float16)
    with open(os.path.join(folder, "model.safetensors.index.json")) as file:
        places = json.load(file)["weight_map"]
    wanted = {f"language_model.{name}" for name, _ in model.named_parameters()}
    for shard in sorted({places[name] for name in wanted}):
        with safe_open(os.path.join(folder, shard), "pt") as tensors:
            # cloned: safetensors maps the file, and mapped pages would be counted beside nothing else here
            state = {name[15:]: tensors.get_tensor(name).clone() for name in tensors.keys() if name in wanted}
        model.load_state_dict(state, strict=False, assign=True)
    # what is no parameter was made on the meta device: the rotary embedding's frequencies
    model.model.rotary_emb = type(model.model.rotary_emb)(model.config)
    return model.eval().requires_grad_(False)


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
    parser.add_argument("--text-tokens", type=int, default=512)
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--layers", type=int, default=0)
    parser.add_argument("--act", type=int, default=0)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    started = time.perf_counter()
    model = load(options.folder, options.layers)
    print(f"loaded in {time.perf_counter() - started:.1f} s, resident {status('VmRSS'):.2f} GB, {torch.get_num_threads()} threads")
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(3, 80, (1, options.text_tokens), generator=generator)
    for number in range(options.steps):
        visual = torch.randn(1, 32, model.config.hidden_size, generator=generator).half().requires_grad_()
        loss, forward, backward, work = step(model, visual, tokens, 17)
        print(
            f"step {number + 1}: forward {forward:.2f} s, backward {backward:.2f} s, together {forward + backward:.2f} s, "
            f"{work:.1f} s of all cores, "
            f"loss {loss:.4f}, gradient {visual.grad.float().norm():.3g}, peak {status('VmHWM'):.2f} GB",
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
