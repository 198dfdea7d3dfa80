/** `emac eval`: what a trained policy can do, without expert, key or network. */
import { command } from './command.ts';
import { computeOptions, speechOptions } from './model-options.ts';
import { integer, requiredText, text, toggle, type Values } from './option.ts';

const options = {
  ckpt: requiredText('the policy: a run folder, RUN@best, a checkpoint folder, emma-tiny or a model folder'),
  games: text({
    help: 'builtin:train, builtin:valid_seen, builtin:valid_unseen, a *.tw-pddl file, or a folder',
    default: 'builtin:valid_unseen',
  }),
  'num-games': integer([1, 100_000], {
    help: 'games played, task types in turn',
    default: null,
    defaultText: '20 of a suite, else all',
  }),
  'max-steps': integer([1, 10_000], {
    help: 'commands after which a game is given up',
    default: null,
    defaultText: 'as in training, else 50',
  }),
  model: text({
    help: 'the model: emma-tiny, or a folder in InstructBLIP layout',
    default: null,
    defaultText: 'emma-tiny, or --ckpt where that is a model folder',
  }),
  ...speechOptions,
  ...computeOptions,
  out: text({ help: 'file for the result as JSON, or a folder for its eval.json', default: null }),
  json: toggle('print the result as JSON on standard output'),
};

export type EvalValues = Values<typeof options>;

export const evalCommand = command({
  name: 'eval',
  summary: 'play games with a trained policy and count successes',
  options,
  run: async (values, _argument, io) => (await import('./run-evaluation.ts')).runEvaluation(values, io),
});
