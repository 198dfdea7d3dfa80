"""Hugging Face's generate, timed for packages/backbone/src/bench: answers lines of JSON with lines of JSON.

python bench_generate.py FOLDER [--threads N]

FOLDER is a LlamaForCausalLM checkpoint; it runs in float32. A request is {"prompt": ids, "beams": 5, "newTokens": 33,
"cache": true}; exactly `newTokens` tokens are generated. Without --threads the fastest setting is found first, for
five rows of one token after a prompt of 288.
"""

import argparse
import json
import os
import sys
import time

import torch
from transformers import LlamaForCausalLM


def generate(model, prompt, beams, newTokens, cache):
    ids = torch.tensor([prompt])
    start = time.perf_counter()
    with torch.inference_mode():
        out = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            num_beams=beams,
            do_sample=False,
            min_new_tokens=newTokens,
            max_new_tokens=newTokens,
            use_cache=cache,
            eos_token_id=2,
            pad_token_id=0,
        )
    return {"ms": (time.perf_counter() - start) * 1e3, "tokens": out[0, len(prompt) :].tolist()}


def fastest_threads(model):
    def milliseconds(threads):
        torch.set_num_threads(threads)
        prompt = list(range(3, 291))
        return min(generate(model, prompt, 5, 9, True)["ms"] for _ in range(4))

    return min(range(1, (os.cpu_count() or 1) + 1), key=milliseconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    model = LlamaForCausalLM.from_pretrained(arguments.folder, dtype=torch.float32).eval()
    threads = arguments.threads or fastest_threads(model)
    torch.set_num_threads(threads)
    print(f"torch {torch.__version__}, {threads} threads", file=sys.stderr)
    for line in sys.stdin:
        print(json.dumps(generate(model, **json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
