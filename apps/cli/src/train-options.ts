/** Every option of `emac train`. Numbers of training are null unless given: the preset of the phase has them. */
import { presetNames, type Phase } from '@emac/trainer';
import { languageModelOptions } from './llm-options.ts';
import { admissibleOption, computeOptions, modelOption, speechOptions } from './model-options.ts';
import { offlineOptions } from './offline-options.ts';
import { choice, countOrAll, integer, number, text, toggle, type Values } from './option.ts';
import { optimizationOptions } from './optimization-options.ts';
import { presetValues, type PresetField } from './preset-values.ts';

export const trainOptions = {
  phase: choice(['bc', 'dpo', 'bc,dpo'], {
    help: 'behaviour cloning, preference learning against --ref, or one after the other; needed unless --resume',
    default: null,
  }),
  resume: text({
    help: 'the folder of a run that was stopped or killed: goes on to what it would have been; needs no other flag',
    default: null,
  }),
  'allow-drift': toggle('--resume: go on although code or backends are others than those the run began with'),
  ref: text({
    help: 'dpo: the reference policy, a run folder, RUN@best, a checkpoint, a model or a published .pth',
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
  'expert-noise': number('from 0', {
    help: 'handcoded and planner: probability of another command that the world accepts in place of the right one',
    default: 0,
  }),
  ...languageModelOptions,
  'act-with': choice(['student', 'expert', 'mixture'], {
    help: "whose command the world gets; mixture: the expert's with a probability that falls from round to round",
    default: null,
    defaultText: presetValues('actWith'),
  }),
  'expert-probability': number(
    'from 0 to 1',
    ofPreset('expertProbability', '--act-with mixture: probability of the expert in the first round'),
  ),
  'expert-decay': number(
    'from 0 to 1',
    ofPreset('expertDecay', '--act-with mixture: what that is multiplied with after every round'),
  ),
  'admissible-only': admissibleOption,
  'train-after': choice(['every-episode', 'failed'], {
    help: 'episodes whose steps are learnt from',
    default: null,
    defaultText: presetValues('trainAfter'),
  }),
  'no-skip-solved': toggle('games that were won are played again in later rounds'),
  'no-stop-repeating': toggle('an episode that goes in circles is played to its last step'),
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
  ...optimizationOptions,
  savings: choice(['all', 'none'], {
    help: 'none: computes again what is known (features of a frame, what the reference said, prompts that answers share), as the published code does, to the same results',
    default: 'all',
  }),
  carry: choice(['memories'], {
    help: 'dpo: begin with the lessons from failed attempts in the run of --ref',
    default: null,
  }),
  'imitate-thoughts': toggle(
    'the expert also says what it thinks, as `think:` labels to be learnt; a thought of the student costs a step and is answered OK.',
  ),
  'student-memory': toggle('the student also reads the lessons from failed attempts'),
  ...offlineOptions,
  ...speechOptions,
  ...computeOptions,
  'eval-games': integer([0, 100_000], {
    help: 'held-out games (of builtin:valid_unseen) played before and after training; 0 for none',
    default: 20,
  }),
  keep: countOrAll({
    help: 'newest checkpoints that stay, beside the best; from 2 on a run goes on where the newest is damaged',
    default: 5,
  }),
  out: text({ help: 'folder in which the run folder is made', default: 'runs' }),
};

export type TrainValues = Values<typeof trainOptions>;

/** What one phase of training is made from. */
export type PhaseValues = Omit<TrainValues, 'phase' | 'resume' | 'allow-drift'> & {
  readonly phase: Phase;
  /** as it was typed: a phase may be one of two */
  readonly phases: NonNullable<TrainValues['phase']>;
};

function ofPreset(field: PresetField, help: string) {
  return { help, default: null, defaultText: presetValues(field) };
}
