/** `emac train`: one phase, or behaviour cloning and then preference learning against it; begun, or gone on with. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import { isDone, layout, readRecord } from '@emac/runs';
import { say, type Io } from './io.ts';
import { changeableOptions, type ChangeableValues } from './changeable-options.ts';
import { storedValues } from './run-config.ts';
import { beginPhase, continuePhase, type Continuing } from './run-phase.ts';
import { trainOptions, type PhaseValues, type TrainValues } from './train-options.ts';

/** Carries out `emac train`; returns 0. */
export async function runTraining(values: TrainValues, io: Io): Promise<number> {
  const { resume, phase, 'allow-drift': allowDrift, ...others } = values;
  const how: Continuing = { io, allowDrift, signal: io.catchInterruption() };
  if (resume !== null) await goOn(resume, values, how);
  else if (phase === null)
    throw new EmacError(
      'usage',
      '--phase: is needed, give bc, dpo or bc,dpo; or --resume with the folder of a run',
    );
  else if (phase === 'bc,dpo') await bothPhases({ ...others, phase: 'bc', phases: phase }, how);
  else await beginPhase({ ...others, phase, phases: phase }, how);
  return 0;
}

async function bothPhases(values: PhaseValues, how: Continuing): Promise<void> {
  await secondPhase(await beginPhase(values, how), values, how);
}

/** Goes on with a run, and into the second phase where that was asked for. */
async function goOn(folder: string, given: TrainValues, how: Continuing): Promise<void> {
  const changes = changesOf(given);
  if (!isThere(folder)) throw new EmacError('missing', `--resume ${folder}: is not there`);
  const record = readRecord(folder);
  await completed(folder, { ...how, changes });
  const values = { ...storedValues(folder, record), ...changes };
  if (record.phase === 'bc' && values.phases === 'bc,dpo')
    await secondPhase(folder, { ...values, out: dirname(resolve(folder)) }, { ...how, changes });
}

async function completed(folder: string, how: Continuing): Promise<void> {
  if (isDone(folder)) say(how.io.stderr, `run ${folder}: is finished`);
  else await continuePhase(folder, how);
}

/** Against the first, with everything else afresh; where it was begun before, it goes on. */
async function secondPhase(first: string, values: PhaseValues, how: Continuing): Promise<void> {
  const begun = followerOf(first);
  if (begun !== null) return completed(begun, how);
  const second: PhaseValues = { ...values, phase: 'dpo', phases: 'dpo', ref: first, init: null };
  await beginPhase(second, { ...how, previous: basename(resolve(first)) });
}

/** The run that followed `first`, which may be named as `.`. */
function followerOf(first: string): string | null {
  const [out, own] = [dirname(resolve(first)), basename(resolve(first))];
  const runs = readdirSync(out).filter(
    (name) => isThere(join(out, name, layout.run)) && !name.startsWith('.'),
  );
  const name = runs.find((each) => readRecord(join(out, each)).previous === own);
  return name === undefined ? null : join(out, name);
}

/** A run goes on with its own settings, but for those that may be given anew. */
function changesOf(given: TrainValues): Partial<ChangeableValues> {
  const own = new Set(['resume', 'allow-drift']);
  const names = Object.keys(trainOptions) as (keyof TrainValues)[];
  const changed = names.filter((name) => !own.has(name) && given[name] !== trainOptions[name].default);
  for (const name of changed)
    if (!(name in changeableOptions))
      throw new EmacError('usage', `--${name}: a run goes on with its own settings, give --resume alone`);
  return Object.fromEntries(changed.map((name) => [name, given[name]]));
}
