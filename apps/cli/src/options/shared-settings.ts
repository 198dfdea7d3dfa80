/** Settings that several commands have: which model, how it computes, how it speaks, who labels. */
import {
  defaultSpeech,
  type ExpertConfig,
  type ModelConfig,
  type SpeechConfig,
} from '@emac/experiment';
import { defaultFewShotExamples } from '@emac/prompt';
import type { Setting, SettingsOf } from './setting.ts';

/** How the policy speaks. */
export function speechSettings({ at }: SettingsOf<{ speech: SpeechConfig }>) {
  return {
    beams: at('speech.beams', { otherwise: `${defaultSpeech.beams}` }),
    'min-length': at('speech.minLength', { otherwise: `${defaultSpeech.minLength}` }),
    'max-length': at('speech.maxLength', { otherwise: `${defaultSpeech.maxLength}` }),
    'max-text-tokens': at('speech.maxTextTokens', { otherwise: `${defaultSpeech.maxTextTokens}` }),
  };
}

/** Where it computes. */
export function computeSettings({ at }: SettingsOf<{ model: Omit<ModelConfig, 'path'> }>) {
  return {
    'tf-backend': at('model.tfBackend'),
    provider: at('model.provider'),
    layers: at('model.layers'),
    activations: at('model.activations'),
    weights: at('model.weights'),
  };
}

/** Who labels. */
export function expertSettings({ at }: SettingsOf<{ expert: ExpertConfig }>) {
  return {
    expert: at('expert.kind'),
    'expert-noise': at('expert.noise'),
    'imitate-thoughts': at('expert.thoughts'),
  };
}

/** An expert that is a language model. */
export function languageModelSettings({ at }: SettingsOf<{ expert: ExpertConfig }>) {
  return {
    'expert-base-url': at('expert.languageModel.baseUrl'),
    'expert-model': at('expert.languageModel.model'),
    'expert-api': at('expert.languageModel.api'),
    'expert-context': at('expert.languageModel.context'),
    'expert-answer-tokens': at('expert.languageModel.answerTokens'),
    'expert-admissible': at('expert.languageModel.admissible'),
    'repair-actions': at('expert.languageModel.repairActions'),
    'expert-replay': at('expert.languageModel.replay'),
    'expert-prompts': at('expert.languageModel.prompts', { otherwise: 'ours' }),
    'reflection-examples': at('expert.languageModel.reflectionExamples', { otherwise: 'ours' }),
    'expert-examples': at('expert.languageModel.examples', { otherwise: `${defaultFewShotExamples}` }),
    'reflection-model': at('expert.languageModel.reflectionModel', { otherwise: 'the --expert-model' }),
    'expert-max-tokens-total': at('expert.languageModel.maxTokensTotal'),
    'expert-budget': at('expert.languageModel.budget'),
    'expert-price-in': at('expert.languageModel.priceIn'),
    'expert-price-out': at('expert.languageModel.priceOut'),
    'expert-deadline': at('expert.languageModel.deadline'),
    'expert-concurrency': at('expert.languageModel.concurrency'),
    'expert-requests-per-minute': at('expert.languageModel.requestsPerMinute'),
    'expert-tokens-per-minute': at('expert.languageModel.tokensPerMinute'),
  } satisfies Record<string, Setting>;
}
