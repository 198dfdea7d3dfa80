/** Every option of `emac train`. Numbers of training are null unless given: the preset of the phase has them. */
import { presetNames } from '@emac/trainer';
import { computeOptions, modelOption, speechOptions } from './model-options.ts';
import { choice, integer, number, requiredChoice, text, toggle, type Values } from './option.ts';
import { presetValues, type PresetField } from './preset-values.ts';

export const trainOptions = {
  phase: requiredChoice(['bc', 'dpo'], 'behaviour cloning, or preference learning against --ref'),
  ref: text({
    help: 'dpo: the reference policy, a run folder, RUN@best, a checkpoint or a model folder',
    default: null,
  }),
  model: modelOption,
  init: text({
    help: 'where the projection starts: model (its own), random, or what --ref takes',
    default: null,
    defaultText: 'model for bc, the --ref for dpo, random for mlp',
  }),
  projection: choice(['linear', 'mlp'], {
    help: 'kind of the trainable projection',
    default: null,
    defaultText: 'that of --init, else linear',
  }),
  'projection-hidden': integer([1, 65_536], {
    help: 'mlp: width of the hidden layer',
    default: null,
    defaultText: 'width of the language model',
  }),
  games: text({
    help: 'builtin:train, builtin:valid_seen, builtin:valid_unseen, a *.tw-pddl file, or a folder that is searched for them',
    default: 'builtin:train',
  }),
  preset: choice(presetNames, { help: 'named settings, see below', default: 'tiny' }),
  rounds: integer([1, 10_000], ofPreset('rounds', 'passes over the games')),
  'games-per-round': integer(
    [1, 100_000],
    ofPreset('gamesPerRound', 'games drawn for the run, the same in every round'),
  ),
  'max-steps': integer([1, 10_000], ofPreset('maxSteps', 'commands after which an episode is given up')),
  seed: integer([0, 999_999_999_999_999], { help: 'seed of every random draw', default: 0 }),
  expert: choice(['handcoded', 'planner', 'openai'], {
    help: 'who labels; planner knows the whole world and takes a shortest way',
    default: 'handcoded',
  }),
  'expert-base-url': text({
    help: 'openai: address up to /v1; without it OpenAI, with the key in OPENAI_API_KEY',
    default: null,
  }),
  'expert-model': text({ help: 'openai: name of the language model', default: null }),
  'expert-api': choice(['chat', 'responses', 'completions'], {
    help: 'openai: which interface is spoken',
    default: null,
    defaultText: 'chat',
  }),
  'act-with': choice(['student', 'expert', 'mixture'], {
    help: "whose command the world gets; mixture: the expert's with probability 0.5^round",
    default: null,
    defaultText: presetValues('actWith'),
  }),
  'updates-per-episode': integer(
    [0, 10_000],
    ofPreset('updatesPerEpisode', 'optimizer updates after every episode'),
  ),
  'batch-size': integer([1, 1024], ofPreset('batchSize', 'samples of one micro-step')),
  accumulate: integer([1, 1024], ofPreset('accumulate', 'micro-steps of one update')),
  lr: number('above 0', ofPreset('learningRate', 'highest learning rate')),
  warmup: integer([0, 1_000_000_000], ofPreset('warmup', 'micro-steps of linear warm-up')),
  beta: number('above 0', ofPreset('beta', 'dpo: inverse temperature of the implicit reward')),
  'mix-ratio': number(
    'from 0',
    ofPreset('mixRatio', 'dpo: weight of −log π(chosen) beside the preference loss'),
  ),
  'student-memory': toggle('the student also reads the lessons from failed attempts'),
  ...speechOptions,
  ...computeOptions,
  'eval-games': integer([0, 100_000], {
    help: 'held-out games (of builtin:valid_unseen) played before and after training; 0 for none',
    default: 20,
  }),
  out: text({ help: 'folder in which the run folder is made', default: 'runs' }),
};

export type TrainValues = Values<typeof trainOptions>;

function ofPreset(field: PresetField, help: string) {
  return { help, default: null, defaultText: presetValues(field) };
}
