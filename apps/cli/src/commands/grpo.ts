/** `emac grpo`: a speaker or a listener of the Lewis game learns by what the other makes of it; begun, or gone on with. */
import { EmacError } from '@emac/core';
import {
  grpoConfig,
  resumeGrpo,
  RunError,
  trainLewis,
  type FinishedGrpo,
  type GivenGrpoConfig,
} from '@emac/experiment';
import { grpoPresets, grpoSettings } from '../options/grpo-settings.ts';
import { configOption, layered } from '../options/layers.ts';
import { choice, text, toggle, type Values } from '../options/option.ts';
import { learningQueueOptions, withWorkers } from '../options/queue-options.ts';
import { presetTable } from '../options/preset-table.ts';
import { runNamed } from '../options/run-name.ts';
import { withPredictions } from '../run-notes/prediction-log.ts';
import { durations } from '../terminal/amounts.ts';
import { grpoReport } from '../terminal/grpo-report.ts';
import { quietOption } from '../terminal/host.ts';
import { say, type Io } from '../terminal/io.ts';
import { sayEvent } from '../terminal/json-events.ts';
import { runHost } from '../terminal/run-host.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { checkTracker, trackerNames } from '../terminal/tracked.ts';
import { writeReport } from '../terminal/write-report.ts';
import { command } from './command.ts';
import { directCall } from './direct-call.ts';
import { refuseOthers } from './refuse-others.ts';

const options = {
  resume: text({
    help: 'the folder of a run that was stopped or killed: goes on to what it would have been, and into the turns after it; needs no other flag',
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
  ...grpoSettings,
};

type GrpoValues = Values<typeof options>;

export const grpoCommand = command({
  options,
  essentials: [
    'role',
    'listener',
    'speaker',
    'model',
    'preset',
    'updates',
    'seed',
    'init',
    'resume',
    'pictures',
    'out',
    'config',
  ],
  epilogue: () => `${presetTable(grpoSettings, grpoPresets)}\n\n${directCall}`,
  run: async (values, words, io) => {
    try {
      checkTracker(values.tracker, io);
      await trained(values, words, io);
      return 0;
    } catch (thrown) {
      if (thrown instanceof RunError && thrown.run.canGoOn)
        say(io.stderr, `to go on: npx emac grpo --resume ${shellWord(thrown.run.folder)}`);
      throw thrown;
    }
  },
});

async function trained(values: GrpoValues, words: readonly string[], io: Io): Promise<void> {
  const { resume, 'allow-drift': allowDrift } = values;
  const given = resume === null ? asked(values, words, io) : null;
  if (!given) refuseOthers(['config', ...Object.keys(grpoSettings)], values, words);
  const signal = io.catchInterruption('the update and saving');
  await withWorkers({ values, io, settings: { signal } }, async (workers) => {
    const { host: own, close } = withPredictions(runHost(values, io, 'the update and saving'), io);
    const host = { ...own, workers };
    try {
      const runs = given ? trainLewis(given, host) : resumeGrpo(runNamed(resume!), { ...host, allowDrift });
      for await (const run of runs) report(run, values, io);
    } finally {
      await close();
    }
  });
}

/** What is to be trained. Errors: `usage`, `missing`, `config`. */
function asked(values: GrpoValues, words: readonly string[], { env }: Pick<Io, 'env'>): GivenGrpoConfig {
  const from = { values, words, env };
  // the preset decides what a list is completed from
  const first = layered<Partial<GivenGrpoConfig>>(grpoSettings, from).given;
  const { role, preset = 'tiny' } = first;
  if (role === undefined)
    throw new EmacError(
      'usage',
      '--role: is needed, speaker or listener or both; or --resume with the folder of a run',
    );
  const standard = grpoConfig({ preset, role });
  const { given } = layered<GivenGrpoConfig>(grpoSettings, { ...from, standard });
  const named = (name: string | null | undefined) => (typeof name === 'string' ? runNamed(name) : name);
  return {
    ...given,
    ...(given.init !== undefined && { init: named(given.init) }),
    ...(given.listener !== undefined && { listener: runNamed(given.listener) }),
    ...(given.speaker !== undefined && { speaker: runNamed(given.speaker) }),
  } as GivenGrpoConfig;
}

function report(run: FinishedGrpo, { json, quiet }: GrpoValues, io: Io): void {
  const said = json ? io.stderr : io.stdout;
  if (!json || !quiet) say(said, grpoReport(run));
  writeReport(run.folder, { ...io, stdout: said, isQuiet: json && quiet });
  if (!quiet) say(said, `time: ${durations(run.spent)}${run.wasResumed ? ' since it was resumed' : ''}`);
  if (!json) return;
  const { folder, role, before, after, state, wasResumed: resumed } = run;
  const { update: updates, answers, tokens } = state;
  sayEvent(io, 'result', { env: 'lewis', role, folder, resumed, updates, answers, tokens, before, after });
}
