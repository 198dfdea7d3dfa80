/**
 * Language models that read text alone, as transformers 4.57 publishes and reads them: `LlamaForCausalLM` (SmolLM2,
 * LLaMA 2 and 3), `MistralForCausalLM`, `Qwen2ForCausalLM`, `Qwen3ForCausalLM` and `Gemma3ForCausalLM`. A prompt is the folder's chat template
 * with one user turn; a base model's folder, which has no template, gets the plain text.
 */
import { llamaTensors } from '../files/expected-tensors.ts';
import type { ModelConfig } from '../files/model-config.ts';
import { textConfig } from '../files/text-config.ts';
import { chatForm } from './prompts/chat-template.ts';
import { hasTemplate } from './prompts/template-file.ts';
import type { Family } from './family.ts';
import { plainForm } from './prompts/plain-prompt.ts';

function textFamily(name: string, title: string): Family<ModelConfig> {
  return {
    name,
    title,
    config: (object, place) => ({
      llama: { ...textConfig(object, place), visualTokens: 'none' },
      imageToken: null,
    }),
    nameOf: (stored) =>
      stored.replace(/^model\./, 'language_model.model.').replace(/^lm_head\./, 'language_model.lm_head.'),
    moduleOf: (here) => here.replace(/^language_model\./, ''),
    tensors: ({ llama }) => new Map(llamaTensors(llama)),
    vision: null,
    prompts: ({ folder, companions: { tokenizer: tokenizerFile } }, tokenizer) =>
      hasTemplate(tokenizerFile)
        ? chatForm({ tokenizerFile, tokenizer, imageToken: null, axes: 1 })
        : plainForm(tokenizer, folder),
  };
}

export const llamaText = textFamily('llama', 'a LLaMA');
export const mistralText = textFamily('mistral', 'a Mistral');
export const qwen2Text = textFamily('qwen2', 'a Qwen2');
export const qwen3Text = textFamily('qwen3', 'a Qwen3');
export const gemma3Text = textFamily('gemma3_text', 'a Gemma 3');
