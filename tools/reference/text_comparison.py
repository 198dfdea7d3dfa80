"""What transformers and PEFT compute on a language model that reads text alone, as a comparison folder holds it."""

import copy
import json
import shutil

import torch
import transformers
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file

from random_tokenizers import TEXTS

SEARCHES = [
    {"num_beams": 1, "max_new_tokens": 64},
    {"num_beams": 5, "max_new_tokens": 64},
    {"num_beams": 5, "max_new_tokens": 64, "length_penalty": 0.0, "min_new_tokens": 20},
    {"num_beams": 1, "max_new_tokens": 64, "min_new_tokens": 64},
]
ROWS = [
    {"images": [], "text": f"{TEXTS[0]}\n{TEXTS[1]}\n>", "answer": "go to cabinet 1"},
    {"images": [], "text": f"{TEXTS[1]}\n{TEXTS[2]}\n>", "answer": "take mug 1 from cabinet 1"},
    {"images": [], "text": TEXTS[3] + "\n>", "answer": "look"},
]
# what a template that thinks or prints a date is given
TEMPLATE = {"enable_thinking": False, "date_string": "26 Jul 2024"}


class Unstable(Exception):
    """A generation that a rounding decides."""


def rendered(tokenizer, messages, form, prompt):
    content = (lambda text: text) if form == "string" else (lambda text: [{"type": "text", "text": text}])
    said = [{"role": role, "content": content(text)} for role, text in messages]
    return tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=prompt, **TEMPLATE)


def content_form(tokenizer):
    """Strings where the template writes them, else lists of parts."""
    try:
        if "Say\nthis." in rendered(tokenizer, [("user", "Say\nthis.")], "string", True):
            return "string"
    except Exception:  # whatever a template raises
        pass
    return "parts"


def ids_of(tokenizer, text):
    """Of a rendered template, as `apply_chat_template(tokenize=True)` makes them: nothing is added."""
    return tokenizer(text, add_special_tokens=False)["input_ids"]


def row_tokens(tokenizer, row):
    """Ids of the prompt, of the answer, and the token that ends it."""
    if tokenizer.chat_template is None:
        ids, both = (tokenizer(text)["input_ids"] for text in (row["text"], row["text"] + row["answer"]))
        return ids, both[len(ids) :], tokenizer.eos_token_id
    form = content_form(tokenizer)
    prompt = rendered(tokenizer, [("user", row["text"])], form, True)
    whole = rendered(tokenizer, [("user", row["text"]), ("assistant", row["answer"])], form, False)
    assert whole.startswith(prompt), (prompt, whole)
    end = whole.index(row["answer"], len(prompt)) + len(row["answer"])
    ids, both = ids_of(tokenizer, prompt), ids_of(tokenizer, whole[:end])
    assert both[: len(ids)] == ids, (ids, both)
    after = tokenizer(whole[end:].lstrip(), add_special_tokens=False)["input_ids"][:1]
    ends = after and tokenizer.decode(after, skip_special_tokens=True) == ""
    return ids, both[len(ids) :], after[0] if ends else tokenizer.eos_token_id


def scores(model, rows, kept, prefix, expected):
    """Logits and log-probabilities of every row (ids, answer and, if it sees, pictures); → the mean loss over all answers' tokens."""
    total, count = 0.0, 0
    for number, (ids, answer, *pictures) in enumerate(rows):
        tokens = torch.tensor([ids + answer])
        seen = pictures[0] if pictures else {}
        logits = model(input_ids=tokens, attention_mask=torch.ones_like(tokens), **seen).logits[0]
        found = logits[len(ids) - 1 : -1].log_softmax(-1).gather(1, torch.tensor(answer)[:, None])[:, 0]
        total, count = total + found.sum(), count + len(answer)
        expected[f"{prefix}logits_{number}"] = logits[-kept:].detach()
        expected[f"{prefix}log_probs_{number}"] = found.detach()
    return -total / count


def run_text(folder, model, tokenizer, adapter, seed, kept=40, searches=SEARCHES, check=True, rows=ROWS):
    """Writes inputs, results and, unless it is None, an adapter beside the model's files. Raises Unstable."""
    plain = tokenizer.chat_template is None
    rows = [{**row, "answer": " " + row["answer"]} if plain else row for row in rows]
    inputs, expected, tokens, generation = {}, {}, [], []
    for number, row in enumerate(rows):
        ids, answer, end = row_tokens(tokenizer, row)
        tokens.append((ids, answer + [end]))
        inputs[f"input_ids_{number}"] = torch.tensor(ids + answer + [end])
    with torch.no_grad():
        expected["loss"] = scores(model, tokens, kept, "", expected).reshape(1)
    exact = copy.deepcopy(model).double() if check else None
    for row, (ids, answer) in enumerate(tokens):
        for number, search in enumerate(searches):
            found = generate(model, ids, answer[-1], search)
            if check and found != generate(exact, ids, answer[-1], search):
                raise Unstable(f"row {row}, {search}")
            expected[f"generated_{row}_{number}"] = torch.tensor(found)
            generation.append({"key": f"generated_{row}_{number}", "row": row, "eos_token_id": answer[-1], **search})
    if adapter:
        adapted(folder, model, tokens, adapter, seed, kept, expected)
    save_file({k: v.contiguous() for k, v in inputs.items()}, folder / "inputs.safetensors")
    save_file({k: v.detach().contiguous() for k, v in expected.items()}, folder / "expected.safetensors")
    made_by = {"torch": torch.__version__, "transformers": transformers.__version__}
    text = json.dumps({"made_by": made_by, "rows": rows, "generation": generation}, indent=2, ensure_ascii=False)
    (folder / "fixture.json").write_text(text + "\n")
    print(folder.name, "prompts", [len(ids) for ids, _ in tokens], "generated", [len(expected[each["key"]]) for each in generation])


def write_lines(folder, tokenizer, texts):
    """Ids of each text without special tokens, and what they are decoded to."""
    ids = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
    decoded = [tokenizer.decode(each, skip_special_tokens=True, clean_up_tokenization_spaces=False) for each in ids]
    text = json.dumps({"texts": texts, "ids": ids, "decoded": decoded}, ensure_ascii=False)
    (folder / "lines.json").write_text(text + "\n")
    print(folder.name, "lines", len(texts), "tokens", sum(len(each) for each in ids))


def adapted(folder, model, tokens, settings, seed, kept, expected):
    """The same rows under a drawn adapter, with the gradients of A and B."""
    config = LoraConfig(
        r=settings["r"], lora_alpha=settings["alpha"], lora_dropout=0.0, bias="none", task_type="CAUSAL_LM",
        use_rslora=settings["use_rslora"], target_modules=targets_of(model, settings["targets"]),
    )
    torch.manual_seed(seed)
    learner = get_peft_model(model, config)
    # B would begin as zero
    for name, parameter in sorted(learner.named_parameters()):
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.3)
    shutil.rmtree(folder / "adapter", ignore_errors=True)
    learner.save_pretrained(folder / "adapter")
    (folder / "adapter" / "README.md").unlink(missing_ok=True)
    path = folder / "adapter" / "adapter_config.json"
    written = json.loads(path.read_text())
    written.update(base_model_name_or_path=None, target_modules=sorted(settings["targets"]))
    path.write_text(json.dumps(written, indent=2) + "\n")
    loss = scores(learner, tokens, kept, "adapted_", expected)
    loss.backward()
    expected["adapted_loss"] = loss.detach().reshape(1)
    for name, parameter in learner.named_parameters():
        if "lora_" in name:
            place = name.replace(".default", "")
            expected["grad_adapter." + place[place.index("layers.") :]] = parameter.grad


def targets_of(model, names):
    """The eye has layers of the same names; only the language model learns."""
    if not hasattr(model.config, "vision_config"):
        return names
    return rf".*(language_model|text_model)\.layers\.\d+\.(self_attn|mlp)\.({'|'.join(names)})"


@torch.no_grad()
def generate(model, ids, end, search):
    tokens = torch.tensor([ids])
    found = model.generate(
        input_ids=tokens, attention_mask=torch.ones_like(tokens), **search, do_sample=False, eos_token_id=end
    )
    return found[0, len(ids) :].tolist()
