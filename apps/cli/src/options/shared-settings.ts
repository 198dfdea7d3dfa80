/** Settings shared by several commands: the model, its computation, its decoding, the expert. */
import type { EnvironmentCollectionConfig } from '@emac/datasets';
import { defaultFewShotExamples } from '@emac/prompt';
import { defaultSpeech, type TrainConfig } from '@emac/settings';
import { expertSetting } from './expert-option.ts';
import type { Setting, SettingsOf } from './setting.ts';

/** The policy's decoding. */
export function speechSettings({ at }: SettingsOf<Pick<TrainConfig, 'speech'>>) {
  return {
    beams: at('speech.beams', { otherwise: `${defaultSpeech.beams}` }),
    'min-length': at('speech.minLength', { otherwise: `${defaultSpeech.minLength}` }),
    'max-new-tokens': at('speech.maxLength', { otherwise: `${defaultSpeech.maxLength}` }),
    'max-prompt-tokens': at('speech.maxTextTokens', { otherwise: `${defaultSpeech.maxTextTokens}` }),
    observe: at('speech.observe', { otherwise: defaultSpeech.observe }),
    dialogue: at('speech.dialogue', { otherwise: 'that of the policy, else message' }),
  };
}

/** The world that plays the games. */
export function worldSettings({ at }: SettingsOf<Pick<TrainConfig, 'world'>>) {
  return {
    world: at('world.kind'),
    port: at('world.port'),
    host: at('world.host'),
    allow: at('world.allow'),
    clients: at('world.clients'),
    'step-seconds': at('world.stepSeconds'),
    'client-seconds': at('world.clientSeconds'),
    restarts: at('world.restarts'),
  };
}

/** Flags of a world over HTTP. */
export const remoteWorldFlags = [
  'port',
  'host',
  'allow',
  'clients',
  'step-seconds',
  'client-seconds',
  'restarts',
] as const;

/** Devices and backends. */
export function computeSettings({ at }: SettingsOf<Pick<TrainConfig, 'model'>>) {
  return {
    'tf-backend': at('model.tfBackend'),
    provider: at('model.provider'),
    layers: at('model.layers'),
    activations: at('model.activations'),
    weights: at('model.weights'),
    'context-memory': at('model.contextMemory'),
  };
}

/** Who labels. */
export function expertSettings(settings: SettingsOf<Pick<TrainConfig, 'expert'>>) {
  const { at } = settings;
  return {
    expert: expertSetting(settings),
    'expert-noise': at('expert.noise'),
    'imitate-thoughts': at('expert.thoughts'),
  };
}

/** A language model as expert, with its settings. */
const languageModel = {
  'expert-base-url': ['baseUrl'],
  'expert-model': ['model'],
  'expert-api': ['api'],
  'expert-context': ['context'],
  'expert-answer-tokens': ['answerTokens'],
  'expert-admissible': ['admissible'],
  'repair-actions': ['repairActions'],
  'expert-replay': ['replay'],
  'expert-prompts': ['prompts', 'ours'],
  'reflection-examples': ['reflectionExamples', 'ours'],
  'expert-examples': ['examples', `${defaultFewShotExamples}`],
  'reflection-model': ['reflectionModel', 'the --expert-model'],
  'expert-max-tokens-total': ['maxTokensTotal'],
  'expert-budget': ['budget'],
  'expert-price-in': ['priceIn'],
  'expert-price-out': ['priceOut'],
  'expert-deadline': ['deadline'],
  'expert-concurrency': ['concurrency'],
  'expert-requests-per-minute': ['requestsPerMinute'],
  'expert-tokens-per-minute': ['tokensPerMinute'],
} as const satisfies Record<string, readonly [keyof TrainConfig['expert']['languageModel'], string?]>;

/** Settings for texts of games. */
const ofGames = [
  'expert-context',
  'expert-admissible',
  'repair-actions',
  'expert-prompts',
  'reflection-examples',
  'expert-examples',
  'reflection-model',
] as const satisfies readonly (keyof typeof languageModel)[];

/** Flags of an expert that is a language model. */
export const languageModelFlags: readonly string[] = Object.keys(languageModel);

/** An expert that is a language model. */
export function languageModelSettings({ at }: SettingsOf<Pick<TrainConfig, 'expert'>>) {
  const entries = Object.entries(languageModel).map(([flag, [name, otherwise]]) => [
    flag,
    at(`expert.languageModel.${name}`, otherwise === undefined ? {} : { otherwise }),
  ]);
  return Object.fromEntries(entries) as Record<keyof typeof languageModel, Setting>;
}

/** A language model that labels steps of an environment. */
export function serviceSettings({ at }: SettingsOf<Pick<EnvironmentCollectionConfig, 'expert'>>) {
  type Flag = Exclude<keyof typeof languageModel, (typeof ofGames)[number]>;
  const isOfGames = (flag: string) => (ofGames as readonly string[]).includes(flag);
  const flags = Object.keys(languageModel).filter((flag) => !isOfGames(flag)) as Flag[];
  const entries = flags.map((flag) => [flag, at(`expert.languageModel.${languageModel[flag][0]}`)]);
  return Object.fromEntries(entries) as Record<Flag, Setting>;
}
