/** `emac eval`: what a trained policy can do, without expert, key or network. */
import { command } from './command.ts';
import { admissibleOption, computeOptions, speechOptions } from './model-options.ts';
import { integer, requiredText, text, toggle, type Values } from './option.ts';

export const evalOptions = {
  ckpt: requiredText(
    'the policy: a run folder, RUN@best, a checkpoint folder, emma-tiny, a model or a published .pth',
  ),
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
  'admissible-only': admissibleOption,
  data: text({
    help: 'answer the prompts of a dataset in place of games: a JSON list of {image, text_input, text_output}',
    default: null,
  }),
  images: text({
    help: '--data: folder of its pictures, PNG or JPEG',
    default: null,
    defaultText: 'the folder of the JSON file',
  }),
  model: text({
    help: 'the model: emma-tiny, a folder in InstructBLIP layout, or a JSON file that names its parts',
    default: null,
    defaultText: 'emma-tiny, or --ckpt where that is a model',
  }),
  ...speechOptions,
  ...computeOptions,
  out: text({
    help: 'file for the result as JSON, or a folder for its eval.json and, of games, logging_results',
    default: null,
  }),
  json: toggle('print the result as JSON on standard output'),
};

export type EvalValues = Values<typeof evalOptions>;

export const evalCommand = command({
  name: 'eval',
  summary: 'play games with a trained policy and count successes, or compare its answers with a dataset',
  options: evalOptions,
  run: async (values, _argument, io) => (await import('./run-evaluation.ts')).runEvaluation(values, io),
});
