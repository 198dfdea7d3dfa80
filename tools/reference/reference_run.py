"""What transformers and PyTorch compute on a checkpoint: inputs, stages, loss, gradients, generated tokens."""

import torch

from lavis_beam_search import lavis_generate
from random_checkpoint import BEGIN, END, PAD

# Named as the arguments of `generate`; settings left out have Hugging Face's defaults. Lengths count new tokens.
SEARCHES = [
    {"definition": "huggingface", "num_beams": 1, "max_new_tokens": 12},
    {"definition": "huggingface", "num_beams": 1, "max_new_tokens": 12, "repetition_penalty": 1.5},
    {"definition": "huggingface", "num_beams": 5, "max_new_tokens": 12},
    {"definition": "huggingface", "num_beams": 5, "max_new_tokens": 14, "length_penalty": 0.0, "min_new_tokens": 5},
    {"definition": "huggingface", "num_beams": 5, "max_new_tokens": 14, "length_penalty": -1.0,
     "repetition_penalty": 1.5, "min_new_tokens": 4},
    {"definition": "huggingface", "num_beams": 3, "max_new_tokens": 10, "length_penalty": 1.7, "early_stopping": True},
    {"definition": "huggingface", "num_beams": 4, "max_new_tokens": 12, "early_stopping": "never"},
    {"definition": "lavis", "num_beams": 1, "max_new_tokens": 12, "repetition_penalty": 1.5},
    {"definition": "lavis", "num_beams": 5, "max_new_tokens": 14, "repetition_penalty": 1.5},
    {"definition": "lavis", "num_beams": 5, "max_new_tokens": 14, "length_penalty": 0.0, "min_new_tokens": 4},
    {"definition": "lavis", "num_beams": 5, "max_new_tokens": 9, "length_penalty": -1.0},
    {"definition": "lavis", "num_beams": 3, "max_new_tokens": 12, "length_penalty": 1.0},
]


def random_inputs(config, seed):
    """Three rows [image token × queries][begin, text][answer][padding], and Q-Former texts, all of different lengths."""
    draw = torch.Generator().manual_seed(seed)
    image, vocabulary = config.image_token_index, config.text_config.vocab_size
    words = lambda count, size: torch.randint(3, size, (count,), generator=draw).tolist()
    rows, labels, prompts = [], [], []
    for prompt_length, answer_length in ((6, 4), (3, 7), (9, 2)):
        prompt = [image] * config.num_query_tokens + [BEGIN] + words(prompt_length - 1, vocabulary - 1)
        answer = words(answer_length - 1, vocabulary - 1) + [END]
        rows.append(prompt + answer)
        labels.append([-100] * len(prompt) + answer)
        prompts.append(len(prompt))
    queries = [words(count, config.qformer_config.vocab_size) for count in (4, 7, 2)]
    side = config.vision_config.image_size
    return {
        "pixel_values": torch.randn(3, 3, side, side, generator=draw),
        "qformer_input_ids": padded(queries, 0),
        "qformer_attention_mask": padded([[1] * len(row) for row in queries], 0),
        "input_ids": padded(rows, PAD),
        "attention_mask": padded([[1] * len(row) for row in rows], 0),
        "labels": padded(labels, -100),
    }, prompts


def padded(rows, fill):
    width = max(map(len, rows))
    return torch.tensor([row + [fill] * (width - len(row)) for row in rows])


def run_stages(model, inputs):
    """Every stage, the loss and the projection's gradients."""
    output = model(**inputs)
    projected, vision, qformer = image_parts(model, inputs)
    output.loss.backward()
    gradients = {name: value.grad for name, value in model.language_projection.named_parameters()}
    return {
        "vision_hidden_state": vision,
        "qformer_output": qformer,
        "projected": projected,
        "logits": output.logits,
        "sequence_log_probs": sequence_log_probs(output.logits, inputs["labels"]),
        "loss": output.loss.reshape(1),
        "grad_projection_weight": gradients["weight"],
        "grad_projection_bias": gradients["bias"],
    }


def image_parts(model, inputs):
    """Visual tokens [B, Nq, D], image tokens after the last norm [B, N, Dv], query rows [B, Nq, Dq]."""
    names = ("pixel_values", "qformer_input_ids", "qformer_attention_mask")
    projected, vision, qformer = model.get_image_features(**{name: inputs[name] for name in names}, return_dict=True)
    return projected, vision.last_hidden_state, qformer.last_hidden_state[:, : projected.shape[1]]


def sequence_log_probs(logits, labels):
    """Σ log p(label) of each row; labels are shifted by one, negative ones do not count."""
    shifted = labels[:, 1:]
    found = logits[:, :-1].log_softmax(-1).gather(2, shifted.clamp(min=0).unsqueeze(2)).squeeze(2)
    return (found * (shifted >= 0)).sum(1)


@torch.no_grad()
def generate(model, inputs, row, prompt_length, search):
    """New tokens [L] after `input_ids[row, :prompt_length]`."""
    one = {name: value[row : row + 1] for name, value in inputs.items() if name != "labels"}
    for name in ("input_ids", "attention_mask"):
        one[name] = one[name][:, :prompt_length]
    if search["definition"] == "lavis":
        return lavis(model, one, search)
    settings = {name: value for name, value in search.items() if name != "definition"}
    return without_prompt(model.generate(**one, **settings, do_sample=False)[0], prompt_length)


def without_prompt(tokens, prompt_length):
    """A search's new tokens, up to the end token."""
    tokens = tokens.tolist()[prompt_length:]
    return tokens[: tokens.index(END) + 1] if END in tokens else tokens


def lavis(model, one, search):
    projected, _, _ = image_parts(model, one)
    embed = model.language_model.get_input_embeddings()
    prompt = torch.cat([projected, embed(one["input_ids"][:, projected.shape[1] :])], 1)

    def next_logits(tokens):
        words = embed(torch.tensor([tokens], dtype=torch.long))
        return model.language_model(inputs_embeds=torch.cat([prompt, words], 1)).logits[0, -1]

    settings = {
        "num_beams": search["num_beams"],
        "max_length": search["max_new_tokens"] + 1,
        "min_length": search.get("min_new_tokens", 0) + 1,
        "length_penalty": search.get("length_penalty", 1.0),
        "repetition_penalty": search.get("repetition_penalty", 1.0),
    }
    return lavis_generate(next_logits, settings, BEGIN, END)


@torch.no_grad()
def generate_batch(model, inputs, prompts, search):
    """The same for all rows in one call: rows [padding][image tokens][text], padded on the left."""
    width = max(prompts)
    left = lambda name, fill: torch.stack([
        torch.cat([torch.full((width - length,), fill), inputs[name][row, :length]])
        for row, length in enumerate(prompts)
    ])
    batch = {**inputs, "input_ids": left("input_ids", PAD), "attention_mask": left("attention_mask", 0)}
    del batch["labels"]
    settings = {name: value for name, value in search.items() if name != "definition"}
    found = model.generate(**batch, **settings, do_sample=False)
    return [without_prompt(row, width) for row in found]
