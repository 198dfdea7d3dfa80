"""What transformers generates with every key of generation_config.json changed, one at a time.

python write_generation_keys.py packages/backbone/fixtures/text/llama packages/backbone/fixtures/generation-keys.json

Run it with transformers 4.57.1 and torch. Keys are those of GenerationConfig, and of 5.24.0's (`LATER`). Of each value the answers after two
prompts: by greedy search, with three beams, and drawn from a seed. Answers that equal those without the key are left out; null stands for
an error. Sampling is compared, not kept: `drawn` says whether the key changed it.
"""

import json
import sys
import tempfile
import warnings
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()

NEW_TOKENS = 12
LATER = [
    "use_mtp", "max_cache_len", "top_h", "assistant_ensemble_weight", "speculation_type", "compile_config", "continuous_batching_config",
]


def values(said, end, vocabulary):
    """Of each key, from the answers without it: `said` are two lists of ids."""
    first, second = said
    return {
        "max_length": [40], "max_new_tokens": [3], "min_length": [60], "min_new_tokens": [14], "early_stopping": [True, "never"],
        "max_time": [1e-9], "stop_strings": [["e"]], "do_sample": [True], "num_beams": [2], "use_cache": [False],
        "cache_implementation": ["dynamic"], "cache_config": [{"max_cache_len": 64}], "return_legacy_cache": [True],
        "prefill_chunk_size": [4], "temperature": [0.3], "top_k": [2], "top_p": [0.3], "min_p": [0.5], "typical_p": [0.3],
        "epsilon_cutoff": [0.02], "eta_cutoff": [0.05], "repetition_penalty": [1.5, 0.7], "encoder_repetition_penalty": [1.5],
        "length_penalty": [-3.0, 3.0], "no_repeat_ngram_size": [1, 2],
        "bad_words_ids": [[[first[0]]], [[first[0], first[1]], second[:3]], [first[1:4], [second[1]], [end]]],
        "renormalize_logits": [True], "forced_bos_token_id": [5], "forced_eos_token_id": [end, [end, 7]], "remove_invalid_values": [True],
        "exponential_decay_length_penalty": [[2, 1.5]],
        "suppress_tokens": [[first[0]], [first[0], second[0], first[3]], [first[1], vocabulary - 1]],
        "begin_suppress_tokens": [[first[0], second[0]], [first[1]]],
        "sequence_bias": [[[[first[0]], -0.2], [[first[1], first[2]], -10.0]], [[[17], 4.0]], [[[second[0], 21], 9.0], [[17], 0.5]]],
        "token_healing": [True], "guidance_scale": [2.0], "watermarking_config": [{"greenlist_ratio": 0.25, "bias": 5.0}],
        "num_return_sequences": [2], "output_attentions": [True], "output_hidden_states": [True], "output_scores": [True],
        "output_logits": [True], "return_dict_in_generate": [True], "pad_token_id": [9], "bos_token_id": [9],
        "eos_token_id": [first[2], [end, first[4]], [second[1], end]], "encoder_no_repeat_ngram_size": [1], "decoder_start_token_id": [9],
        "is_assistant": [True], "num_assistant_tokens": [3], "num_assistant_tokens_schedule": ["heuristic"],
        "assistant_confidence_threshold": [0.9], "prompt_lookup_num_tokens": [3], "max_matching_ngram_size": [1],
        "assistant_early_exit": [1], "assistant_lookbehind": [3], "target_lookbehind": [3], "disable_compile": [True], "low_memory": [True],
        "penalty_alpha": [0.6], "dola_layers": ["high"], "diversity_penalty": [0.5], "num_beam_groups": [2],
        "constraints": [[{"token_ids": [17]}]], "force_words_ids": [[[17]]], "_from_model_config": [False],
        "transformers_version": ["4.57.1"],
    }


def answers(folder, model, tokenizer, prompts, settings, modes=("greedy", "beams", "drawn")):
    """Greedy, with beams, and drawn: of each prompt the new ids."""
    with tempfile.TemporaryDirectory() as place:
        Path(place, "generation_config.json").write_text(json.dumps(settings))
        config = GenerationConfig.from_pretrained(place)
    found = {}
    # a caller's settings go first, but for the key that is changed
    givens = {"greedy": {"num_beams": 1, "do_sample": False}, "beams": {"num_beams": 3, "do_sample": False}, "drawn": {"do_sample": True}}
    for mode in modes:
        given = givens[mode]
        given = {key: value for key, value in {"max_new_tokens": NEW_TOKENS, **given}.items() if settings.get(key) is None}
        found[mode] = []
        for prompt in prompts:
            torch.manual_seed(0)
            ids = torch.tensor([prompt])
            made = model.generate(
                ids, attention_mask=torch.ones_like(ids), generation_config=config, tokenizer=tokenizer, **given
            )
            made = made if isinstance(made, torch.Tensor) else made.sequences
            found[mode].append(made[0, len(prompt):].tolist())
    return found


def tried(*given):
    try:
        return answers(*given)
    except Exception as error:  # whatever a key does to transformers
        print(type(error).__name__, str(error)[:150].replace("\n", " "))
        return None


def main(folder, out):
    torch.set_num_threads(1)
    folder = Path(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    inputs = load_file(folder / "inputs.safetensors")
    settings = json.loads((folder / "generation_config.json").read_text())
    end = settings["eos_token_id"]
    # beginnings of a row whose answers do not end by themselves
    row = inputs["input_ids_0"].tolist()
    prompts = []
    for length in range(8, len(row)):
        ids = answers(folder, model, tokenizer, [row[:length]], settings, ["greedy"])["greedy"][0]
        if len(ids) == NEW_TOKENS and len(set(ids[:5])) == 5:
            prompts.append(row[:length])
        if len(prompts) == 2:
            break
    base = answers(folder, model, tokenizer, prompts, settings)
    all_values = values(base["greedy"], end, model.config.vocab_size)
    keys = list(GenerationConfig().to_dict())
    assert sorted(keys) == sorted(all_values), set(keys) ^ set(all_values)
    walked = {}
    for key in keys:
        walked[key] = []
        for value in all_values[key]:
            print(key, value)
            found = tried(folder, model, tokenizer, prompts, {**settings, key: value})
            case = {"value": value}
            if found is None:
                case["result"] = None
            else:
                result = {mode: found[mode] for mode in ("greedy", "beams") if found[mode] != base[mode]}
                if result:
                    case["result"] = result
                if found["drawn"] != base["drawn"]:
                    case["drawn"] = True
            walked[key].append(case)
    fixture = {
        "new_tokens": NEW_TOKENS, "prompts": prompts, "base": {mode: base[mode] for mode in ("greedy", "beams")}, "keys": walked,
        "later": LATER,
    }
    Path(out).write_text(json.dumps(fixture))


main(*sys.argv[1:])
