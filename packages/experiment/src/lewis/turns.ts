/**
 * Speaker and listener learn in turns: a chain of runs, the listener first, each against the newest run of the other role and from the newest of
 * its own. What comes next is told by a run's configuration alone, so that a chain goes on from wherever it was stopped.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import { readRecord } from '@emac/runs';
import { grpoConfig, untrained, type GivenGrpoConfig, type LewisRole } from '../config/grpo-config.ts';
import { plainHost, warn, type Host } from '../host.ts';
import { isAddress } from './remote-agents.ts';
import { followerOf } from '../training/follower.ts';
import {
  fromDirectory,
  ofOneRole,
  resumeGrpoRun,
  storedGrpoConfig,
  trainGrpo,
  type FinishedGrpo,
  type GrpoRunConfig,
  type ResumeGrpoOptions,
} from './train-grpo.ts';

/** of a chain, whose runs have 1000 times as much and more */
const mostSeed = 999_999_999_999 - 1;

/** One run, or with `role: 'both'` as many as there are turns, each handed out when it is over. Errors: those of `trainGrpo`. */
export async function* trainLewis(
  given: GivenGrpoConfig,
  host: Host = plainHost(),
): AsyncGenerator<FinishedGrpo, void> {
  const { role, turns, init, seed } = grpoConfig(given);
  if (role !== 'both') {
    yield await trainGrpo({ ...given, role }, host);
    return;
  }
  if (init !== null)
    throw new EmacError(
      'usage',
      '--init: is of one role; with --role both give --speaker or --listener a run',
    );
  // every turn has a seed of its own
  if (seed > mostSeed)
    throw new EmacError('usage', `--seed: must be at most ${mostSeed} with --role both, got ${seed}`);
  const first = await trainGrpo({ ...given, role: 'listener', turn: 0, turns, seed: 1000 * seed }, host);
  yield first;
  yield* later(first.folder, host);
}

/** Goes on with a run, and with the turns after it. Of what is finished nothing is done again. Errors: as `resumeGrpoRun`. */
export async function* resumeGrpo(
  folder: string,
  host: ResumeGrpoOptions = plainHost(),
): AsyncGenerator<FinishedGrpo, void> {
  const run = await resumeGrpoRun(folder, host);
  if (run) yield run;
  else host.listener?.note?.(`run ${folder}: is finished`);
  yield* later(folder, host);
}

async function* later(first: string, host: ResumeGrpoOptions): AsyncGenerator<FinishedGrpo, void> {
  for (let given = next(first), before = first; given; given = next(before)) {
    const begun = followerOf(before, (damage) => warn(host.listener, damage));
    const run = begun
      ? await resumeGrpoRun(begun, host)
      : await trainGrpo(given, host, { previous: basename(resolve(before)) });
    if (run) yield run;
    else host.listener?.note?.(`run ${begun}: is finished`);
    before = begun ?? run!.folder;
  }
}

/** The run after a finished one; null after the last, and after a run of one role alone. */
function next(folder: string): GrpoRunConfig | null {
  const stored = ofOneRole(storedGrpoConfig(folder));
  const config = ofOneRole(fromDirectory(stored, readRecord(folder).workingDirectory));
  const { turn, turns, role, seed } = config;
  if (turn === null || turn + 1 >= turns) return null;
  const other: LewisRole = role === 'listener' ? 'speaker' : 'listener';
  const before = beside(config[other], folder);
  return {
    ...config,
    role: other,
    turn: turn + 1,
    seed: seed + 1,
    init: isTrained(before) ? before : null,
    listener: role === 'listener' ? folder : before,
    speaker: role === 'speaker' ? folder : before,
    out: dirname(resolve(folder)),
  };
}

/** True for a name that leads to parameters: a run, a checkpoint, an adapter. */
function isTrained(name: string): boolean {
  return name !== untrained && name !== 'true' && !isAddress(name);
}

/** A run of the chain, which was moved as a whole, lies beside the others. */
function beside(name: string, folder: string): string {
  const there = join(dirname(resolve(folder)), basename(name));
  return isTrained(name) && !isThere(name) && isThere(there) ? there : name;
}
