/** `emac ppo`: reinforcement learning in environments that are stepped by number; begun, or gone on with. */
import { EmacError } from '@emac/core';
import {
  environmentId,
  ppoConfig,
  resumePpo,
  RunError,
  trainPpo,
  type FinishedPpo,
  type GivenPpoConfig,
} from '@emac/experiment';
import { configOption, layered } from '../options/layers.ts';
import { choice, text, toggle, type Values } from '../options/option.ts';
import { learningQueueOptions, withWorkers } from '../options/queue-options.ts';
import { ppoPresets, ppoSettings } from '../options/ppo-settings.ts';
import { presetTable } from '../options/preset-table.ts';
import { runNamed } from '../options/run-name.ts';
import { durations } from '../terminal/amounts.ts';
import { quietOption } from '../terminal/host.ts';
import { say, type Io } from '../terminal/io.ts';
import { sayEvent } from '../terminal/json-events.ts';
import { ppoReport } from '../terminal/ppo-report.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { runHost } from '../terminal/run-host.ts';
import { checkTracker, trackerNames } from '../terminal/tracked.ts';
import { writeReport } from '../terminal/write-report.ts';
import { command } from './command.ts';
import { directCall } from './direct-call.ts';
import { refuseOthers } from './refuse-others.ts';

const options = {
  resume: text({
    help: 'the folder of a run that was stopped or killed: goes on to what it would have been; needs no other flag',
    default: null,
  }),
  tracker: choice(trackerNames, {
    help: 'also writes curves as event files into tb/ of the run: for TensorBoard, or for wandb sync to upload',
    default: 'none',
  }),
  ...learningQueueOptions,
  json: toggle('one JSON object a line on standard output for everything that happens, the result last'),
  ...quietOption,
  'allow-drift': toggle('--resume: go on although the code is another than the one the run began with'),
  ...configOption,
  ...ppoSettings,
};

type PpoValues = Values<typeof options>;

export const ppoCommand = command({
  options,
  essentials: [
    'env',
    'policy',
    'steps',
    'preset',
    'seed',
    'init',
    'resume',
    'eval-episodes',
    'out',
    'config',
  ],
  epilogue: () => `${presetTable(ppoSettings, ppoPresets)}\n\n${directCall}`,
  run: async (values, words, io) => {
    try {
      checkTracker(values.tracker, io);
      await trained(values, words, io);
      return 0;
    } catch (thrown) {
      if (thrown instanceof RunError && thrown.run.canGoOn)
        say(io.stderr, `to go on: npx emac ppo --resume ${shellWord(thrown.run.folder)}`);
      throw thrown;
    }
  },
});

async function trained(values: PpoValues, words: readonly string[], io: Io): Promise<void> {
  const { resume, 'allow-drift': allowDrift } = values;
  const given = resume === null ? asked(values, words, io) : null;
  if (!given) refuseOthers(['config', ...Object.keys(ppoSettings)], values, words);
  const signal = io.catchInterruption('the update and saving');
  await withWorkers({ values, io, settings: { signal } }, async (workers) => {
    const { host: own, close } = runHost(values, io, 'the update and saving');
    const host = { ...own, workers };
    try {
      if (given) return report(await trainPpo(given, host), values, io);
      const folder = runNamed(resume!);
      const run = await resumePpo(folder, { ...host, allowDrift });
      if (run) report(run, values, io);
      else host.listener?.note?.(`run ${folder}: is finished`);
    } finally {
      await close();
    }
  });
}

/** What is to be trained. Errors: `usage`, `missing`, `config`. */
function asked(values: PpoValues, words: readonly string[], { env }: Pick<Io, 'env'>): GivenPpoConfig {
  const from = { values, words, env };
  // environment and preset decide what a list is completed from
  const first = layered<Partial<GivenPpoConfig>>(ppoSettings, from).given;
  if (typeof first.env !== 'string')
    throw new EmacError(
      'usage',
      '--env: is needed, such as gym_cards/NumberLine-v0; or --resume with the folder of a run',
    );
  const id = environmentId(first.env);
  const { preset, policy } = first;
  const standard = ppoConfig({
    ...(preset !== undefined && { preset }),
    ...(policy !== undefined && { policy }),
    env: id,
  });
  const { given } = layered<GivenPpoConfig>(ppoSettings, { ...from, standard });
  return { ...given, env: id, ...(typeof given.init === 'string' && { init: runNamed(given.init) }) };
}

function report(run: FinishedPpo, { json, quiet }: PpoValues, io: Io): void {
  const said = json ? io.stderr : io.stdout;
  if (!json || !quiet) say(said, ppoReport(run));
  writeReport(run.folder, { ...io, stdout: said, isQuiet: json && quiet });
  if (!quiet) say(said, `time: ${durations(run.spent)}${run.wasResumed ? ' since it was resumed' : ''}`);
  if (!json) return;
  const { folder, config, before, after, state, wasResumed: resumed } = run;
  const { update, environmentSteps, episodes } = state;
  const done = { updates: update, environment_steps: environmentSteps, episodes };
  sayEvent(io, 'result', { env: config.env, policy: config.policy, folder, resumed, ...done, before, after });
}
