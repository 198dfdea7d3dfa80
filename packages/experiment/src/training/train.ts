/** Training as a program calls it: one phase or several, begun or gone on with. */
import { basename, dirname, resolve } from 'node:path';
import { EmacError, invariant } from '@emac/core';
import { isThere } from '@emac/files';
import { isDone, readRecord } from '@emac/runs';
import { laterConfig, readStoredConfig, type GivenSettings } from '../config/stored-config.ts';
import { trainConfig, type GivenTrainConfig, type TrainConfig } from '../config/train-config.ts';
import { plainHost, warn } from '../host.ts';
import { keepingWorlds } from '../tasks/remote-world.ts';
import { followerOf } from './follower.ts';
import { beginPhase, continuePhase, type Continuing, type FinishedRun, type TrainingHost } from './phase.ts';

/** Trains one phase in a new run folder. Errors: as `trainPhases`. */
export async function train(
  { phase, ...given }: GivenTrainConfig,
  host: TrainingHost = plainHost(),
): Promise<FinishedRun> {
  const [run] = await trainPhases(given, [phase], host);
  return run!;
}

/**
 * Trains phase after phase, each in a run folder of its own and against the one before; settings that are not given are
 * those of the preset for the phase. Errors: those of `planTraining` leave nothing behind; what stops a run that has begun is
 * a `RunError`.
 */
export async function trainPhases(
  given: GivenSettings,
  phases: readonly TrainConfig['phase'][],
  host: TrainingHost = plainHost(),
): Promise<FinishedRun[]> {
  return keepingWorlds(host, (kept) => allPhases(given, phases, kept));
}

async function allPhases(
  given: GivenSettings,
  phases: readonly TrainConfig['phase'][],
  host: TrainingHost,
): Promise<FinishedRun[]> {
  const [phase] = phases;
  invariant(phase, 'trainPhases: needs a phase');
  const config = trainConfig({ ...given, phase });
  const first = await beginPhase(config, { ...host, phases, given });
  const next: Later['next'] = (later) => laterConfig(given, { ...later, out: config.out });
  return [first, ...(await laterPhases(first.folder, { phases, given, next, host }))];
}

export interface ResumeOptions extends Omit<Continuing, 'allowDrift'> {
  /** other code or backends are no obstacle; default false */
  readonly allowDrift?: boolean;
}

/**
 * Goes on with a run that was stopped or killed, to the bytes that it would have ended in, and into the phases after it
 * that were asked for. Of a run that is finished nothing is done again; what comes back is what was done now. Errors:
 * `missing`, `config`, `data`, `cannot-create`; `RunError`.
 */
export async function resume(folder: string, options: ResumeOptions = plainHost()): Promise<FinishedRun[]> {
  return keepingWorlds(options, (kept) => resumed(folder, kept));
}

async function resumed(folder: string, options: ResumeOptions): Promise<FinishedRun[]> {
  if (!isThere(folder)) throw new EmacError('missing', `--resume ${folder}: is not there`);
  const record = readRecord(folder);
  const { phases, next: plain, given } = readStoredConfig(folder, record);
  const host: Continuing = { allowDrift: false, ...options };
  const finished = isDone(folder) ? [] : [await continuePhase(folder, host)];
  if (finished.length === 0) host.listener?.note?.(`run ${folder}: is finished`);
  const out = dirname(resolve(folder));
  const next: Later['next'] = (later) => {
    // a name that is given now starts here, not where the run began
    const config = plain({ ...later, ref: resolve(later.ref), out });
    return host.changed ? host.changed(config) : config;
  };
  return [...finished, ...(await laterPhases(folder, { phases, given, next, host }))];
}

interface Later {
  /** the first one is that of the run before */
  readonly phases: readonly TrainConfig['phase'][];
  readonly given: GivenSettings;
  readonly next: (later: { readonly phase: TrainConfig['phase']; readonly ref: string }) => TrainConfig;
  readonly host: TrainingHost;
}

/** Each against the one before, with everything else afresh; what was begun before goes on. */
async function laterPhases(first: string, { phases, given, next, host }: Later): Promise<FinishedRun[]> {
  const finished: FinishedRun[] = [];
  let before = first;
  for (const [place, phase] of [...phases.entries()].slice(1)) {
    const begun = followerOf(before, (damage) => warn(host.listener, damage));
    if (begun === null) {
      const beginning = { ...host, given, phases: phases.slice(place), previous: basename(resolve(before)) };
      finished.push(await beginPhase(next({ phase, ref: before }), beginning));
    } else if (isDone(begun)) host.listener?.note?.(`run ${begun}: is finished`);
    else finished.push(await continuePhase(begun, { allowDrift: false, ...host }));
    before = begun ?? finished.at(-1)!.folder;
  }
  return finished;
}
