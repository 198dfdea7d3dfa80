"""Writes beam searches over tables of logits: thousands of decisions in a few kilobytes.

    python tools/reference/write_searches.py

The next token's logits depend on the last token and on how many there are. Hugging Face's definition is run by
Hugging Face's own `generate` on a model that looks up the table, LAVIS's by `lavis_beam_search.py`.
"""

import json
import random

import torch
from transformers import GenerationMixin, PretrainedConfig, PreTrainedModel, logging
from transformers.modeling_outputs import CausalLMOutput

from emma_tiny import FIXTURES
from lavis_beam_search import lavis_generate

TABLES, SEARCHES = 5, 300
VOCABULARY, LONGEST = 9, 10
BEGIN = END = 2
PAD = 0


class Table(PreTrainedModel, GenerationMixin):
    """A language model of logits [length, last token, V]."""

    config_class = PretrainedConfig

    def __init__(self, logits):
        super().__init__(PretrainedConfig(vocab_size=VOCABULARY, is_encoder_decoder=False, num_hidden_layers=0))
        self.logits = torch.nn.Parameter(logits)

    def forward(self, input_ids, **_):
        return CausalLMOutput(logits=self.logits[input_ids.shape[1] - 1, input_ids[:, -1]][:, None])


def random_search(draw):
    """Settings in the names of `generate`; lengths count new tokens."""
    return {
        "table": draw.randrange(TABLES),
        "definition": draw.choice(["huggingface", "lavis"]),
        "num_beams": draw.choice([1, 2, 3, 5]),
        "max_new_tokens": draw.randrange(2, LONGEST),
        "min_new_tokens": draw.choice([0, 0, 1, 3]),
        "length_penalty": draw.choice([0.0, 1.0, -1.0, 2.0, 0.5, -3.0]),
        "repetition_penalty": draw.choice([1.0, 1.0, 1.5, 0.8]),
        "early_stopping": draw.choice([False, True, "never"]),
    }


@torch.no_grad()
def run(model, search):
    settings = {name: value for name, value in search.items() if name not in ("table", "definition")}
    if search["definition"] == "lavis":
        next_logits = lambda tokens: model.logits[len(tokens), tokens[-1] if tokens else BEGIN]
        lengths = {"max_length": settings["max_new_tokens"] + 1, "min_length": settings["min_new_tokens"] + 1}
        return lavis_generate(next_logits, {**settings, **lengths}, BEGIN, END)
    begin = torch.tensor([[BEGIN]])
    found = model.generate(
        begin, attention_mask=torch.ones_like(begin), **settings, do_sample=False, use_cache=False,
        eos_token_id=END, pad_token_id=PAD,
    )[0, 1:].tolist()
    return found[: found.index(END) + 1] if END in found else found


def main():
    logging.set_verbosity_error()
    draw = random.Random(1)
    torch.manual_seed(1)
    tables = (torch.randn(TABLES, LONGEST, VOCABULARY, VOCABULARY) * 1.5).round(decimals=2)
    tables[..., END] += torch.linspace(-3, 1, TABLES)[:, None, None].round(decimals=2)
    models = [(Table(table), Table(table.double())) for table in tables]
    searches = []
    while len(searches) < SEARCHES:
        search = random_search(draw)
        if search["definition"] == "lavis":
            search["early_stopping"] = False
        found = [run(model, search) for model in models[search["table"]]]
        if found[0] == found[1]:
            searches.append({**search, "tokens": found[0]})
    file = FIXTURES / "searches.json"
    values = [[[[round(value, 2) for value in row] for row in step] for step in table] for table in tables.tolist()]
    file.write_text(json.dumps({"begin": BEGIN, "end": END, "tables": values, "searches": searches}) + "\n")
    print(len({json.dumps(each["tokens"]) for each in searches}), "distinct of", len(searches))


if __name__ == "__main__":
    main()
