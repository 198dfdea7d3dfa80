"""Writes the tokens that transformers gives a conversation in the chat template of each comparison folder.

    python tools/reference/write_conversations.py packages/backbone/fixtures

The file `conversations.json` has for each folder the ids of the prompt before each answer, a picture's token (-1) in the
last turn where the model sees, and the ids of the answer with the template's end token.
"""

import json
import sys
from pathlib import Path

import transformers

SAID = [
    "You are in a room.\nYour task is to: find some pen.",
    "go to desk 1",
    "You arrive at desk 1. You see\na pen 1.",
    "take pen 1 from desk 1",
    "You pick up the pen 1.",
]
ANSWER = "go to drawer 2"


def main(root: Path) -> None:
    found = {}
    for folder in sorted([*(root / "families").iterdir(), *(root / "text").iterdir()]):
        template = template_of(folder)
        if template is not None:
            found[f"{folder.parent.name}/{folder.name}"] = conversation(folder, template)
    (root / "conversations.json").write_text(json.dumps({"said": SAID, "answer": ANSWER, "folders": found}) + "\n")


def template_of(folder: Path) -> str | None:
    for name in ("chat_template.jinja", "chat_template.json"):
        if (folder / name).exists():
            text = (folder / name).read_text()
            return json.loads(text)["chat_template"] if name.endswith("json") else text
    return json.loads((folder / "tokenizer_config.json").read_text()).get("chat_template")


def conversation(folder: Path, template: str) -> dict:
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    image = config.get("image_token_id", config.get("image_token_index"))
    sees = image is not None

    def ids(said: list[str], is_prompt: bool) -> list[int]:
        last = len(said) - 1 if len(said) % 2 else len(said) - 2
        messages = [
            {
                "role": "assistant" if place % 2 else "user",
                "content": [*([{"type": "image"}] if place == last else []), {"type": "text", "text": text}] if sees else text,
            }
            for place, text in enumerate(said)
        ]
        text = tokenizer.apply_chat_template(
            messages,
            chat_template=template,
            tokenize=False,
            add_generation_prompt=is_prompt,
            enable_thinking=False,
            date_string="26 Jul 2024",
        )
        has_begin = tokenizer.bos_token is not None and text.startswith(tokenizer.bos_token)
        return [-1 if each == image else each for each in tokenizer(text, add_special_tokens=not has_begin)["input_ids"]]

    return {
        "prompts": [ids(SAID[: length], True) for length in (1, 3, 5)],
        "whole": ids([*SAID, ANSWER], False),
    }


main(Path(sys.argv[1]))
