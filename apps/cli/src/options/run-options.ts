/** Flags of every command that trains, beside the settings of its method. */
import { choice, text, toggle, type Values } from './option.ts';
import { dryRunOption } from './dry-run.ts';
import { memoryOption } from './memory-option.ts';
import { learningQueueOptions } from './queue-options.ts';
import { quietOption } from './quiet-option.ts';
import { trackerNames } from '../terminal/tracked.ts';

export const runOptions = {
  resume: text({
    help: 'resume this stopped or killed run of any method, and the runs after it; needs no other flag',
    default: null,
  }),
  'run-name': text({
    help: 'a name for the run, kept in run.json and shown in lists and reports',
    default: null,
  }),
  tracker: choice(trackerNames, {
    help: 'also show the run in another program: event files in the run’s tb/ for TensorBoard or wandb sync (WANDB_PROJECT, WANDB_DIR, WANDB_MODE=offline|disabled); live in trackio (TRACKIO_SERVER_URL, TRACKIO_PROJECT) or MLflow (MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME)',
    default: 'none',
  }),
  ...learningQueueOptions,
  json: toggle('print one JSON object a line on standard output for every event, the result last'),
  ...memoryOption,
  ...quietOption,
  ...dryRunOption,
  'allow-drift': toggle('--resume: resume although code or backends have changed'),
};

export type RunValues = Values<typeof runOptions> & Readonly<Record<string, unknown>>;
