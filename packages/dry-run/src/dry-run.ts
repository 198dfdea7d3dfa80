/**
 * A dry run of training with any method: the run itself is opened, and begun in a temporary folder with a small budget.
 * Its times and sizes are extrapolated. The folder is removed, and no paid service is called.
 */
import { invariant } from '@emac/core';
import { openGrpoRun, openPpoRun, openTrainingRun, requireBeginning, type OpenedRun } from '@emac/experiment';
import { stopIfAsked, type Host } from '@emac/opening';
import {
  grpoConfig,
  laterConfig,
  trainConfig,
  type GivenGrpoConfig,
  type GivenPpoConfig,
  type GivenSettings,
  type TrainConfig,
} from '@emac/settings';
import { described, refuseRemote } from './describe.ts';
import { roomFor } from './disk.ts';
import { thisMachine, type DryHost, type DryRun } from './dry-plan.ts';
import { recorder } from './recorder.ts';
import { measureTrials } from './trials.ts';

/**
 * Each requested phase. A later phase has no reference yet: the model's own projection replaces it. Errors: as
 * `trainPhases` before it creates a folder; those of the trial; `io` if the disk is too small.
 */
export async function dryTraining(
  given: GivenSettings,
  phases: readonly TrainConfig['phase'][],
  host: DryHost,
): Promise<DryRun[]> {
  const [phase, ...later] = phases;
  invariant(phase, 'dryTraining: needs a phase');
  const first = trainConfig({ ...given, phase });
  refuseRemote(first);
  requireBeginning('train', given, { policy: first.policy, methods: phases });
  const runs = [await dryRun((quiet) => openTrainingRun(first, given, quiet), { host, notes: [] })];
  for (const each of later) {
    const config = laterConfig(given, { phase: each, ref: first.policy, out: first.out });
    const note = `${each}: the run of ${phase} does not exist yet; the model's own projection is measured in place of its reference`;
    runs.push(await dryRun((quiet) => openTrainingRun(config, given, quiet), { host, notes: [note] }));
  }
  return runs;
}

/** Errors: as `dryTraining`'s, of `trainPpo`; `usage` for playing or answering in other processes. */
export async function dryPpo(given: GivenPpoConfig, host: DryHost): Promise<DryRun[]> {
  refuseRemote(given);
  return [await dryRun((quiet) => openPpoRun(given, quiet), { host, notes: [] })];
}

/** Of both roles of the Lewis game one turn each, against the model that no turn has trained yet. Errors: as `dryPpo`'s, of `trainGrpo`. */
export async function dryGrpo(given: GivenGrpoConfig, host: DryHost): Promise<DryRun[]> {
  refuseRemote(given);
  const { role, turns } = grpoConfig(given);
  if (role !== 'both') return [await dryRun((quiet) => openGrpoRun(given, quiet), { host, notes: [] })];
  const runs: DryRun[] = [];
  for (const own of ['listener', 'speaker'] as const) {
    const notes = [`${own}: one of ${turns} turns, with an untrained partner`];
    runs.push(await dryRun((quiet) => openGrpoRun({ ...given, role: own }, quiet), { host, notes }));
  }
  return runs;
}

interface DryOptions {
  readonly host: DryHost;
  readonly notes: readonly string[];
}

async function dryRun(
  open: (host: Host) => Promise<OpenedRun>,
  { host, notes }: DryOptions,
): Promise<DryRun> {
  const { measureLimit: limit = 10_000, machine = thisMachine } = host;
  const resident = () => machine.memory().resident;
  const since = host.now();
  const { trial } = recorder({ expected: null, now: host.now, resident, size: 1, episodes: 0 });
  const run = await open({ ...host, trial });
  try {
    const opening = host.now() - since;
    const { config, phase, method: name = phase, space } = run;
    const expected = run.expected();
    const { computing } = expected.policy;
    // before anything is measured
    const room = roomFor(config.out, { needed: space, machine });
    const opened = resident();
    stopIfAsked(host.signal);
    const trials = await measureTrials(run, expected, { host, limit, resident });
    return described(expected, {
      name,
      config,
      room,
      opening,
      opened,
      trials,
      machine,
      keep: config.keep,
      part: 'training',
      notes: [...new Set([...(computing === null ? [] : [computing]), ...(await run.notes()), ...notes])],
    });
  } finally {
    await run.dispose();
  }
}
