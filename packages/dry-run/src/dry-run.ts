/**
 * A dry run of training with any method: the run itself is opened, and begun in a temporary folder with a small budget.
 * Its times and sizes are extrapolated. The folder is removed, and no paid service is called.
 */
import { trainGrpoRuns, trainPhases, trainPpo, type OpenedRun } from '@emac/experiment';
import { stopIfAsked, type Host } from '@emac/opening';
import {
  grpoConfig,
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
  refuseRemote(given);
  const [first] = phases;
  const noteOf: NoteOf = ({ phase }) =>
    phase === first
      ? null
      : `${phase}: the run of ${first} does not exist yet; the model's own projection is measured in place of its reference`;
  return dryRuns(host, (dry) => trainPhases(given, phases, dry), noteOf);
}

/** Errors: as `dryTraining`'s, of `trainPpo`; `usage` for playing or answering in other processes. */
export async function dryPpo(given: GivenPpoConfig, host: DryHost): Promise<DryRun[]> {
  refuseRemote(given);
  return dryRuns(host, (dry) => trainPpo(given, dry));
}

/** Of both roles of the Lewis game one turn each, against the model that no turn has trained yet. Errors: as `dryPpo`'s, of `trainGrpo`. */
export async function dryGrpo(given: GivenGrpoConfig, host: DryHost): Promise<DryRun[]> {
  refuseRemote(given);
  const { role, turns } = grpoConfig(given);
  if (role !== 'both') return dryRuns(host, (dry) => trainGrpoRuns(given, dry));
  const runs: DryRun[] = [];
  for (const own of ['listener', 'speaker'] as const) {
    const noteOf = () => `${own}: one of ${turns} turns, with an untrained partner`;
    runs.push(...(await dryRuns(host, (dry) => trainGrpoRuns({ ...given, role: own }, dry), noteOf)));
  }
  return runs;
}

/** A sentence about a run; null for none. */
type NoteOf = (run: OpenedRun) => string | null;

interface Rehearsing extends Host {
  readonly rehearse: (open: () => Promise<OpenedRun>) => Promise<void>;
}

/** The runs that a training would begin, each measured when its turn comes. */
async function dryRuns(
  host: DryHost,
  train: (dry: Rehearsing) => Promise<unknown>,
  noteOf: NoteOf = () => null,
): Promise<DryRun[]> {
  const runs: DryRun[] = [];
  const rehearse: Rehearsing['rehearse'] = async (open) => {
    runs.push(await dryRun(open, host, noteOf));
  };
  const { machine = thisMachine } = host;
  const resident = () => machine.memory().resident;
  const { trial } = recorder({ expected: null, now: host.now, resident, size: 1, episodes: 0 });
  await train({ ...host, trial, rehearse });
  return runs;
}

async function dryRun(open: () => Promise<OpenedRun>, host: DryHost, noteOf: NoteOf): Promise<DryRun> {
  const { measureLimit: limit = 10_000, machine = thisMachine } = host;
  const resident = () => machine.memory().resident;
  const since = host.now();
  const run = await open();
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
      notes: [...new Set([computing, ...(await run.notes()), noteOf(run)])].filter((note) => note !== null),
    });
  } finally {
    await run.dispose();
  }
}
