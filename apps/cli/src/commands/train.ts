/** `emac train`: one phase, or behaviour cloning and then preference learning against it; begun, or gone on with. */
import { presetNames } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import {
  dryTraining,
  isModulePath,
  merged,
  presetConfig,
  requireForWorkers,
  resume,
  RunError,
  trainConfig,
  trainPhases,
  type FinishedRun,
  type GivenSettings,
  type TrainConfig,
  type TrainingHost,
} from '@emac/experiment';
import { requireMeant, trainBelonging } from '../options/belonging.ts';
import { givenExpert } from '../options/expert-option.ts';
import { dryRunOption, refuseDryResume } from '../options/dry-run.ts';
import { configOption, layered, type Layered } from '../options/layers.ts';
import { directCall } from './direct-call.ts';
import { choice, text, toggle, type Values } from '../options/option.ts';
import { presetTable } from '../options/preset-table.ts';
import { changedBy } from '../options/resume-changes.ts';
import { checkWorkers, learningQueueOptions, withWorkers } from '../options/queue-options.ts';
import { runNamed } from '../options/run-name.ts';
import { trainSettings } from '../options/train-settings.ts';
import { noted } from '../run-notes/write-notes.ts';
import { hostOf, quietOption } from '../terminal/host.ts';
import { sayEvent } from '../terminal/json-events.ts';
import { say, type Io } from '../terminal/io.ts';
import { sayDryRuns, withNote } from '../terminal/say-dry-runs.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { durations } from '../terminal/amounts.ts';
import { checkTracker, tracked, trackerNames } from '../terminal/tracked.ts';
import { writeReport } from '../terminal/write-report.ts';
import { nextCommand, trainingReport, type NextCommand } from '../terminal/training-report.ts';
import { command } from './command.ts';

const phaseWords = ['bc', 'dpo', 'bc,dpo'] as const;

export const trainOptions = {
  method: text({
    help: 'how to learn: bc, dpo, bc,dpo, sft, ppo or grpo, each with the flags of its own command; emac methods lists them',
    default: null,
  }),
  phase: choice(phaseWords, {
    help: 'behaviour cloning, preference learning against --ref, or one after the other; needed unless --resume',
    default: null,
  }),
  resume: text({
    help: 'the folder of a run that was stopped or killed: goes on to what it would have been; needs no other flag',
    default: null,
  }),
  tracker: choice(trackerNames, {
    help: 'also writes curves and episodes as event files into tb/ of the run: for TensorBoard, or for wandb sync to upload (WANDB_PROJECT, WANDB_DIR, WANDB_MODE=offline|disabled)',
    default: 'none',
  }),
  ...learningQueueOptions,
  json: toggle('one JSON object a line on standard output for everything that happens, the result last'),
  ...quietOption,
  'allow-drift': toggle('--resume: go on although code or backends are others than those the run began with'),
  ...dryRunOption,
  ...configOption,
  ...trainSettings,
};

/** With the settings of the schema by their flags. */
export type TrainValues = Values<typeof trainOptions> & Readonly<Record<string, unknown>>;

export const trainCommand = command({
  options: trainOptions,
  essentials: [
    'method',
    'phase',
    'env',
    'ref',
    'resume',
    'games',
    'model',
    'expert',
    'preset',
    'rounds',
    'games-per-round',
    'seed',
    'data',
    'out',
    'config',
  ],
  epilogue: () => `${presetTable(trainSettings)}\n\n${directCall}`,
  run: (values, words, io) => trainAs({ values, words, io, base: {}, next: nextCommand }),
});

export interface Training {
  readonly values: TrainValues;
  readonly words: readonly string[];
  readonly io: Io;
  /** what holds where nothing else is given */
  readonly base: GivenSettings;
  /** what to type after a run */
  readonly next: NextCommand;
}

/** Begins or goes on as a command that trains; returns the exit status. Errors: those of training. */
export async function trainAs(training: Training): Promise<number> {
  const { values, io } = training;
  try {
    checkTracker(values.tracker, io);
    await (values['dry-run'] ? dry(training) : trained(training));
    return 0;
  } catch (thrown) {
    if (thrown instanceof RunError) sayHowToGoOn(thrown, values, io);
    throw thrown;
  }
}

async function trained(training: Training): Promise<FinishedRun[]> {
  const { values, words, io, base } = training;
  const { resume: folder, 'allow-drift': allowDrift } = values;
  const changed = folder === null ? null : changedBy(values, words);
  const begun = folder === null ? asked(values, words, { env: io.env, base }) : null;
  const given = await givenExpert(values['expert']);
  const signal = io.catchInterruption();
  return withWorkers({ values, io, settings: { signal } }, async (workers) => {
    const { host: own, close } = trainingHost(training);
    const host = { ...own, ...given, workers };
    try {
      if (begun) return await trainPhases(begun.layers.given, begun.phases, host);
      return await resume(runNamed(folder!), { ...host, allowDrift, ...(changed && { changed }) });
    } finally {
      await close();
    }
  });
}

/** Writes nothing. Errors: as `trained` before a run begins. */
async function dry({ values, words, io, base }: Training): Promise<void> {
  refuseDryResume(true, values.resume);
  const { phases, layers } = asked(values, words, { env: io.env, base });
  const { json, quiet } = values;
  const host = { ...hostOf(io, undefined, { quiet }), ...(await givenExpert(values['expert'])) };
  const queue = await checkWorkers(values, io);
  if (queue !== null) requireForWorkers(trainConfig({ ...layers.given, phase: phases[0]! }));
  const runs = await dryTraining(layers.given, phases, host);
  sayDryRuns(withNote(runs, queue), { json, quiet, io });
}

export interface Asked {
  readonly phases: readonly TrainConfig['phase'][];
  readonly layers: Layered<GivenSettings>;
}

/** What is to be trained, and with which settings; `base` holds where nothing else is given. Errors: `usage`, `missing`, `config`. */
export function asked(
  values: TrainValues,
  words: readonly string[],
  { env, base = {} }: Pick<Io, 'env'> & { readonly base?: GivenSettings },
): Asked {
  const from = { values, words, env };
  // the phase and the preset decide what a list is completed from
  const { phase: named, given } = layered<GivenSettings>(trainSettings, from);
  const phases = phasesOf(values.phase ?? named);
  const preset = presetNames.find((name) => name === (given.preset ?? 'tiny'));
  if (!preset)
    throw new EmacError(
      'config',
      `preset: must be ${presetNames.join(' or ')}, got ${JSON.stringify(given.preset)}`,
    );
  const standard = presetConfig(preset, phases[0]!);
  const layers = layered<GivenSettings>(trainSettings, { ...from, standard });
  requireMeant(trainBelonging, {
    table: trainSettings,
    values,
    layers: layers.layers,
    defaults: trainConfig({ ...base, preset, phase: phases[0]! }),
    phase: phases.join(','),
  });
  return { phases, layers: { ...layers, given: merged(base, withRuns(layers.given)) as GivenSettings } };
}

/** Errors: `usage`. */
function phasesOf(phase: string | null): TrainConfig['phase'][] {
  if (phase === null)
    throw new EmacError(
      'usage',
      '--phase: is needed, give bc, dpo or bc,dpo; or --resume with the folder of a run',
    );
  if (!phaseWords.some((word) => word === phase))
    throw new EmacError('usage', `--phase: must be ${phaseWords.join(' or ')}, got ${JSON.stringify(phase)}`);
  return phase.split(',') as TrainConfig['phase'][];
}

/** Runs by their short names. */
function withRuns({ start, ...given }: GivenSettings): GivenSettings {
  if (!start) return given;
  const named = (name: string | null | undefined) => (typeof name === 'string' ? runNamed(name) : name);
  const [ref, init] = [named(start.ref), named(start.init)];
  return {
    ...given,
    start: { ...start, ...(ref !== undefined && { ref }), ...(init !== undefined && { init }) },
  };
}

/** Each phase is reported when it is over; `close` ends what mirrors the run elsewhere. */
function trainingHost({ values: { tracker, json, quiet }, io, next }: Training) {
  const { listener: own, ...host } = hostOf(io, io.catchInterruption(), { json, quiet });
  const { listener, close } = tracked(own!, tracker, io);
  const training: TrainingHost = {
    ...host,
    listener: noted(listener, io),
    onFinished: (run) => report(run, { json, quiet, io, next }),
  };
  return { host: training, close };
}

interface Reporting {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly io: Io;
  readonly next: NextCommand;
}

function report(run: FinishedRun, { json, quiet, io, next }: Reporting): void {
  const said = json ? io.stderr : io.stdout;
  if (!json || !quiet) say(said, trainingReport(run, next));
  writeReport(run.folder, { ...io, stdout: said, isQuiet: json && quiet });
  if (!quiet) say(said, `time: ${durations(run.spent)}${run.wasResumed ? ' since it was resumed' : ''}`);
  if (json) sayEvent(io, 'result', resultOf(run));
}

function resultOf({ folder, config, outcome, games, wasResumed }: FinishedRun) {
  const { before, after, firstProbe, lastProbe } = outcome;
  const probe = { before: firstProbe, after: lastProbe };
  return { phase: config.phase, folder, games: games.trained, resumed: wasResumed, before, after, probe };
}

function sayHowToGoOn(
  { run }: RunError,
  { expert }: Readonly<Record<string, unknown>>,
  { stderr }: Io,
): void {
  const own = typeof expert === 'string' && isModulePath(expert) ? ` --expert ${shellWord(expert)}` : '';
  const command = `npx emac train --resume ${shellWord(run.folder)}${own}`;
  if (run.isBadPicture)
    say(
      stderr,
      `to go on: mend the picture, then ${command}; or without such records, ${command} --skip-bad-records`,
    );
  else if (run.canGoOn) say(stderr, `to go on: ${command}`);
}
