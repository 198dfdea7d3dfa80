/** `emac collect`: play becomes a dataset for `emac train --data`. */
import { command } from './command.ts';
import { languageModelOptions } from './llm-options.ts';
import { computeOptions, modelOption, speechOptions } from './model-options.ts';
import { choice, integer, number, requiredText, text, toggle, type Values } from './option.ts';

const options = {
  out: requiredText(
    'the folder that is made: train.json and images/; a collection that was stopped goes on in it',
  ),
  phase: choice(['bc', 'dpo'], {
    help: 'bc: the expert’s command at every state; dpo: also the student’s own, where that is another one',
    default: 'bc',
  }),
  games: text({
    help: 'builtin:train, builtin:valid_seen, builtin:valid_unseen, a *.tw-pddl file, or a folder',
    default: 'builtin:train',
  }),
  'num-games': integer([1, 1_000_000], {
    help: 'games played once each, task types in turn',
    default: null,
    defaultText: 'all',
  }),
  'max-steps': integer([1, 10_000], { help: 'commands after which a game is given up', default: 50 }),
  'act-with': choice(['expert', 'student', 'mixture'], {
    help: 'whose command the world gets; mixture: the expert’s with --expert-probability',
    default: 'expert',
  }),
  'expert-probability': number('from 0 to 1', {
    help: '--act-with mixture: probability of the expert',
    default: 0.5,
  }),
  ckpt: text({
    help: 'the student: a run folder, RUN@best, a checkpoint folder, a model or a published .pth',
    default: null,
    defaultText: 'the untrained --model',
  }),
  model: modelOption,
  expert: choice(['handcoded', 'planner', 'openai'], { help: 'who labels', default: 'handcoded' }),
  'expert-noise': number('from 0', {
    help: 'handcoded and planner: probability of another command that the world accepts in place of the right one',
    default: 0,
  }),
  'imitate-thoughts': toggle('the expert also says what it thinks, as `think:` outputs'),
  ...languageModelOptions,
  seed: integer([0, 999_999_999_999_999], { help: 'seed of every random draw', default: 0 }),
  ...speechOptions,
  ...computeOptions,
};

export type CollectValues = Values<typeof options>;

export const collectCommand = command({
  name: 'collect',
  summary: 'play games and write what the expert says as a dataset',
  options,
  run: async (values, _argument, io) => (await import('./collect-run.ts')).runCollection(values, io),
});
