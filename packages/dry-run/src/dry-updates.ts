/**
 * A dry run of PPO or GRPO: everything is resolved, opened and checked as for the run itself, and an update is
 * measured. Nothing is written, and no service is asked.
 */
import { planGrpo, planPpo, type OpenedUpdates, type Rehearsal } from '@emac/experiment';
import { inUse, stopIfAsked } from '@emac/opening';
import { textOf } from '@emac/rollout';
import { grpoConfig, type GivenGrpoConfig, type GivenPpoConfig } from '@emac/settings';
import { parametersIn } from './describe.ts';
import { checkpointsBytes, filled, roomFor, updatesBytes, type PartOfDisk } from './disk.ts';
import { refuseRemote } from './dry-games.ts';
import {
  memoryWarning,
  runMemory,
  thisMachine,
  type DryHost,
  type DryRun,
  type ShownExample,
} from './dry-run.ts';
import { updatesTime } from './hours.ts';
import { measureUpdates, type MeasuredUpdates, type TimedUpdates } from './measure-updates.ts';
import { exactly } from './range.ts';

/**
 * Errors: as `trainPpo` before it creates a folder; `io` if the disk is too small, `usage` for playing or answering in
 * other processes.
 */
export async function dryPpo(given: GivenPpoConfig, host: DryHost): Promise<DryRun<MeasuredUpdates>[]> {
  refuseRemote(given);
  return [await dryUpdates('ppo', (quiet) => planPpo(given, quiet), { host, notes: [] })];
}

/** Of both roles of the Lewis game one turn each, against the model that no turn has trained yet. Errors: as `dryPpo`'s, of `trainGrpo`. */
export async function dryGrpo(given: GivenGrpoConfig, host: DryHost): Promise<DryRun<MeasuredUpdates>[]> {
  refuseRemote(given);
  const { role, turns } = grpoConfig(given);
  if (role !== 'both')
    return [await dryUpdates('grpo', (quiet) => planGrpo(given, quiet), { host, notes: [] })];
  const runs: DryRun<MeasuredUpdates>[] = [];
  for (const own of ['listener', 'speaker'] as const) {
    const notes = [`${own}: one of ${turns} turns, with an untrained partner`];
    runs.push(await dryUpdates('grpo', (quiet) => planGrpo({ ...given, role: own }, quiet), { host, notes }));
  }
  return runs;
}

type Planned = Pick<OpenedUpdates<never>, 'notes' | 'space' | 'rehearsal' | 'dispose'> & {
  readonly config: { readonly out: string; readonly keep: number | null; readonly checkpointEvery: number };
};

async function dryUpdates(
  name: 'ppo' | 'grpo',
  plan: (host: DryHost) => Promise<Planned>,
  { host, notes }: { readonly host: DryHost; readonly notes: readonly string[] },
): Promise<DryRun<MeasuredUpdates>> {
  const since = host.now();
  const planned = await plan({ ...host, writesNothing: true });
  try {
    const opening = host.now() - since;
    return { name, ...(await told(planned, { opening, host, notes })) };
  } finally {
    await planned.dispose();
  }
}

interface Telling {
  /** milliseconds */
  readonly opening: number;
  readonly host: DryHost;
  readonly notes: readonly string[];
}

async function told(
  planned: Planned,
  { opening, host, notes }: Telling,
): Promise<Omit<DryRun<MeasuredUpdates>, 'name'>> {
  const { config, rehearsal } = planned;
  const { measureLimit: limit = 20_000, machine = thisMachine } = host;
  const room = roomFor(config.out, { needed: planned.space, machine });
  const { memory } = machine;
  const { resident: opened } = memory();
  stopIfAsked(host.signal);
  const { first, ...timed } = await measureUpdates(rehearsal, { now: host.now, limit, memory });
  const measured: MeasuredUpdates = { ...timed, opening, memory: { ...timed.memory, opened } };
  const { disk, warning } = filled(room, partsOf(config, rehearsal));
  const { acting, peak } = timed.memory;
  const { available } = memory();
  const training = Math.max(0, peak - acting);
  const { model, identity, name, sizes } = rehearsal.policy;
  return {
    config,
    notes: [...(model ? [inUse(model)] : []), ...(await planned.notes()), ...notes],
    warnings: [warning, memoryWarning(training, available)].filter((each) => each !== null),
    of: rehearsal.of,
    model: {
      folder: model?.folder ?? name,
      identity,
      layers: model?.layers ?? null,
      parameters: model ? parametersIn(model.files, sizes) : { trained: sizes.trained / 4, frozen: 0 },
    },
    example: shown(rehearsal, first),
    // an update has made the optimizer's moments
    memory: { ...measured.memory, run: runMemory(measured.memory, 0), training, available },
    disk,
    time: { ...updatesTime(rehearsal, measured), how: measured.how, measured },
    expert: null,
  };
}

/** The policy's first prompt, and its answer before training. */
function shown({ policy }: Rehearsal, { prompt, answer }: TimedUpdates['first']): ShownExample | null {
  if (!policy.model) return null;
  const text = textOf(prompt);
  return {
    source: 'the first step',
    saidBy: 'the policy itself',
    prompt: text,
    target: answer.text,
    tokens: {
      visual: null,
      prompt: policy.countPromptTokens(text),
      target: answer.tokens.length,
      longest: null,
    },
  };
}

function partsOf(
  { keep, checkpointEvery }: Planned['config'],
  { updates, policy: { sizes } }: Rehearsal,
): PartOfDisk[] {
  const written = exactly(1 + Math.ceil(updates / checkpointEvery));
  return [
    { name: 'checkpoints', bytes: checkpointsBytes(sizes, { written, keep, rounds: 0 }) },
    { name: 'metrics and logs', bytes: updatesBytes(updates) },
  ];
}
