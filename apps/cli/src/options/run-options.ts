/** Flags of every command that trains, beside the settings of its method. */
import { choice, text, toggle, type Values } from './option.ts';
import { dryRunOption } from './dry-run.ts';
import { learningQueueOptions } from './queue-options.ts';
import { quietOption } from '../terminal/host.ts';
import { trackerNames } from '../terminal/tracked.ts';

export const runOptions = {
  resume: text({
    help: 'the folder of a run that was stopped or killed, of any method: resumes it and the runs after it; needs no other flag',
    default: null,
  }),
  tracker: choice(trackerNames, {
    help: 'also writes curves and episodes as event files into tb/ of the run: for TensorBoard, or for wandb sync to upload (WANDB_PROJECT, WANDB_DIR, WANDB_MODE=offline|disabled)',
    default: 'none',
  }),
  ...learningQueueOptions,
  json: toggle('one JSON object a line on standard output for everything that happens, the result last'),
  ...quietOption,
  ...dryRunOption,
  'allow-drift': toggle('--resume: go on although code or backends are others than those the run began with'),
};

export type RunValues = Values<typeof runOptions> & Readonly<Record<string, unknown>>;
