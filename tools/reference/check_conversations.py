"""Holds whole conversations, their ids and the mask of the assistant's tokens, against transformers.

    python tools/reference/check_conversations.py check [COUNT]       # random conversations, COUNT of them (1,000) for each template
    python tools/reference/check_conversations.py write               # packages/backbone/fixtures/written.json, for the tests

Five templates of our own have the shapes of SmolLM2's (a system prompt by default), Qwen2.5's (tools, several calls, answers to tools), Hermes'
(a template of its own for tools, arguments before the name), Llama 3's (headers, a begin token, trimmed texts) and Mistral's (an instruction and its answer on one line). Each stands with `{% generation %}` marks and
without. transformers masks with the marks alone; without them the same mask must come out. TOKENIZER_llama=FOLDER (qwen2, mistral) takes a published tokenizer in place
of the small one.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import transformers

ROOT = Path(__file__).resolve().parents[2]
TEXT = ROOT / "packages" / "backbone" / "fixtures" / "text"

CHATML = """{% for message in messages %}{% if loop.first and message['role'] != 'system' %}{{ '<|im_start|>system
Be of help.<|im_end|>
' }}{% endif %}{{ '<|im_start|>' + message['role'] + '
' }}{% if message['role'] == 'assistant' %}{% generation %}{{ message['content'] + '<|im_end|>' }}{% endgeneration %}{% else %}{{ message['content'] + '<|im_end|>' }}{% endif %}{{ '
' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant
' }}{% endif %}"""

TOOLS = """{%- if tools %}
    {{- '<|im_start|>system
You may call:' }}
    {%- for tool in tools %}
        {{- '
' }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- '<|im_end|>
' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'assistant' %}
        {{- '<|im_start|>assistant
' }}
        {%- generation %}
        {%- if message.content %}
            {{- message.content }}
        {%- endif %}
        {%- for call in message.tool_calls or [] %}
            {{- '
<tool_call>
{"name": "' + call.function.name + '", "arguments": ' }}
            {{- call.function.arguments | tojson }}
            {{- '}
</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>' }}
        {%- endgeneration %}
        {{- '
' }}
    {%- elif message.role == 'tool' %}
        {{- '<|im_start|>user
<tool_response>
' + message.content + '
</tool_response><|im_end|>
' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '
' + message.content + '<|im_end|>
' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant
' }}
{%- endif %}
"""

HEADERS = """{{- bos_token }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>

' }}
    {%- if message['role'] == 'assistant' %}
        {% generation %}
        {{- message['content'] | trim + '<|eot_id|>' }}
        {% endgeneration %}
    {%- else %}
        {{- message['content'] | trim + '<|eot_id|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>

' }}
{%- endif %}
"""
# the block's own blanks stand inside the mask, and no prompt ends with them: trimmed, as published templates have it
HEADERS = HEADERS.replace("{% generation %}", "{%- generation -%}").replace("{% endgeneration %}", "{%- endgeneration -%}")

INSTRUCTION = """{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set rule = messages[0]['content'] + '

' %}{% set turns = messages[1:] %}{% else %}{% set rule = '' %}{% set turns = messages %}{% endif %}{% for message in turns %}{% if message['role'] == 'user' %}{{ '[INST] ' + (rule if loop.first else '') + message['content'] + ' [/INST]' }}{% else %}{% generation %}{{ ' ' + message['content'] + eos_token }}{% endgeneration %}{% endif %}{% endfor %}"""

HERMES = TOOLS.replace("You may call:", "<tools>").replace("""{"name": "' + call.function.name + '", "arguments": ' }}
            {{- call.function.arguments | tojson }}
            {{- '}
</tool_call>' }}""", """{"arguments": ' }}
            {{- call.function.arguments | tojson }}
            {{- ', "name": "' + call.function.name + '"}
</tool_call>' }}""")
PLAIN = TOOLS.replace("{%- if tools %}", "{%- if false %}")

SHAPES = {
    "smollm2": ("qwen2", CHATML),
    "qwen2.5": ("qwen2", TOOLS),
    "hermes": ("qwen2", HERMES, PLAIN),
    "llama-3": ("llama", HEADERS),
    "mistral": ("mistral", INSTRUCTION),
}

WORDS = ["go", "to", "desk", "1", "the mug", "é", "ß", "12.5", "\n", "\n\n", "  ", "don't", "!", "?", "ok", "→", "日本", "a-b", "{}", "x"]
SCHEMA = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Adds two numbers.",
        "parameters": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}},
    },
}


# a folder of Hermes has two templates, and transformers takes `tool_use` where tools are given
CALLING = ("qwen2.5", "hermes")


def text(draw):
    # chat templates see what people write; a text that begins or ends with blanks is trimmed by some of them alone
    words = [draw.choice(WORDS) for _ in range(draw.randint(1, 12))]
    return " ".join(words).strip() or "ok"


def conversation(draw, tools):
    messages = [{"role": "system", "content": text(draw)}] if draw.random() < 0.3 else []
    for _ in range(draw.randint(1, 4)):
        messages.append({"role": "user", "content": text(draw)})
        if tools and draw.random() < 0.4:
            calls = [
                {"type": "function", "function": {"name": "add", "arguments": {"a": draw.randint(0, 9), "b": text(draw)}}}
                for _ in range(draw.choice([1, 1, 2]))
            ]
            messages.append({"role": "assistant", "content": None if draw.random() < 0.5 else text(draw), "tool_calls": calls})
            messages.extend({"role": "tool", "name": "add", "content": str(draw.randint(0, 99))} for _ in calls)
        messages.append({"role": "assistant", "content": text(draw)})
    return {"messages": messages, **({"tools": [SCHEMA]} if tools and draw.random() < 0.5 else {})}


def unmarked(template):
    begin = re.sub(r"\{%([-+]?)\s*generation\s*([-+]?)%\}", r"{%\1 if true \2%}", template)
    return re.sub(r"\{%([-+]?)\s*endgeneration\s*([-+]?)%\}", r"{%\1 endif \2%}", begin)


def expected(folder, template, given, default):
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    tokenizer.chat_template = {"default": default, "tool_use": template} if default else template
    found = tokenizer.apply_chat_template(
        given["messages"], tools=given.get("tools"),
        tokenize=True, return_dict=True, return_assistant_tokens_mask=True,
    )
    return {"ids": found["input_ids"], "mask": found["assistant_masks"]}


def cases(count):
    found = []
    for name, (own, template, *others) in SHAPES.items():
        default = others[0] if others else None
        folder = Path(os.environ.get(f"TOKENIZER_{own}", TEXT / own))
        draw = random.Random(f"conversations {name}")
        given = [conversation(draw, name in CALLING) for _ in range(count)]
        right = [expected(folder, template, each, default) for each in given]
        defaults = {"defaults": [default, unmarked(default)]} if default else {}
        found.append({"name": name, "tokenizer": str(folder), "templates": [template, unmarked(template)], **defaults, "given": given, "right": right})
    return found


def main():
    if sys.argv[1] == "write":
        made = cases(6)
        for each in made:
            each["tokenizer"] = Path(each["tokenizer"]).name
        (ROOT / "packages/backbone/fixtures/written.json").write_text(json.dumps(made, ensure_ascii=False) + "\n")
        return
    made = cases(int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cases.json").write_text(json.dumps(made))
        program = Path(__file__).with_name("written_conversations.mjs")
        found = json.loads(subprocess.run(["node", program, Path(folder) / "cases.json"], check=True, capture_output=True).stdout)
    for case, results in zip(made, found):
        for marks, result in zip(["with generation marks", "without"], results):
            wrong = [at for at, (one, right) in enumerate(zip(result, case["right"])) if one != right]
            tokens = sum(len(each["ids"]) for each in case["right"])
            print(f"{case['name']}, {marks}: {len(result) - len(wrong)} of {len(result)} conversations equal, {tokens} tokens")
            if wrong:
                print(json.dumps(case["given"][wrong[0]], ensure_ascii=False), result[wrong[0]], case["right"][wrong[0]], sep="\n")


main()
