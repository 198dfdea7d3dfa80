"""The gradient of an adapter on the steps of an episode in transformers and PEFT, beside `episode-rows.bench.js`.

    node packages/experiment/dist/bench/episode-rows.bench.js --model MODEL --steps 15 --write rows.json
    OMP_NUM_THREADS=2 python tools/reference/bench_rows.py MODEL rows.json

`rows.json` is a list of {"text", "answer"}. float32, logits at labels only, a row after the other, so nothing is padded. Beside it the
episode as one row of several turns: the last prompt, in which every command is a label. Median of three after one to warm up.
"""

import json
import resource
import statistics
import sys
import time

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer

from text_comparison import content_form, rendered, row_tokens

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def loss_of(model, head, ids, labelled):
    """-Σ log p of the tokens at the labelled places, over the whole vocabulary."""
    hidden = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
    places = torch.tensor(labelled)
    logits = head(hidden[places - 1]).log_softmax(-1)
    return -logits.gather(1, torch.tensor(ids)[places][:, None]).sum()


def apart(tokenizer, rows):
    """Each step: its ids and the places of the answer and its end."""
    for row in rows:
        ids, answer, end = row_tokens(tokenizer, row)
        whole = ids + answer + [end]
        yield whole, list(range(len(ids), len(whole)))


def together(tokenizer, rows):
    """The last prompt with its answer; labelled are the commands in it too, without an end of each."""
    ids, answer, end = row_tokens(tokenizer, rows[-1])
    for row in rows[:-1]:
        # nothing was cut
        assert rows[-1]["text"].startswith(f"{row['text']} {row['answer']}"), row
    text = rendered(tokenizer, [("user", rows[-1]["text"])], content_form(tokenizer), True)
    offsets = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    assert len(offsets) == len(ids), "a tokenizer that adds tokens of its own"
    start = text.index(rows[-1]["text"])
    spans = [(start + len(row["text"]), start + len(row["text"]) + 1 + len(row["answer"].strip())) for row in rows[:-1]]
    inside = [place for place, (first, last) in enumerate(offsets) if any(a <= first and last <= b and first < last for a, b in spans)]
    whole = ids + answer + [end]
    return whole, inside + list(range(len(ids), len(whole)))


def main():
    folder, file = sys.argv[1:]
    rows = [{**row, "answer": row["answer"].strip()} for row in json.load(open(file))]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    learner = get_peft_model(model, LoraConfig(r=16, lora_alpha=32, target_modules=TARGETS))
    body, head = learner.get_base_model().model, learner.get_base_model().lm_head
    for name, made in [("a row each step", list(apart(tokenizer, rows))), ("one row", [together(tokenizer, rows)])]:
        times, loss = [], 0.0
        for turn in range(4):
            learner.zero_grad()
            start, loss = time.perf_counter(), 0.0
            for ids, labelled in made:
                part = loss_of(body, head, ids, labelled) / len(rows)
                part.backward()
                loss += part.item()
            times.append((time.perf_counter() - start) * 1000)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"{name}: {sum(len(ids) for ids, _ in made)} positions, {statistics.median(times[1:]):.0f} ms, loss {loss:.6f}, {peak:.1f} GiB", flush=True)


main()
