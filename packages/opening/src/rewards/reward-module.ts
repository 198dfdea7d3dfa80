/** A reward of one's own: a JavaScript file that exports `reward(attempt)`, called for every attempt of training. */
import { inspect } from 'node:util';
import { EmacError, messageOf } from '@emac/core';
import type { EndedAttempt, OwnReward, PlayedReward } from '@emac/algorithms';
import { functionOf, isModulePath, loadCodeFile } from '../code-file.ts';
import { ModuleFault } from '../environments/module-faults.ts';

/** A reward that is given to a run, not made from its configuration. */
export interface GivenReward {
  /** for people, such as the path of its file */
  readonly name: string;
  /** of its code, which must be the same on resume. Imported files are not included */
  readonly sha256: string;
  /** A number, paid with the last step, or a list with one for each step; may throw. */
  reward(attempt: EndedAttempt): unknown;
}

/** Runs the file and takes its `reward`. Errors: `missing`; `data` if it fails or exports no such function. */
export async function loadRewardModule(path: string): Promise<GivenReward> {
  const { sha256, exported } = await loadCodeFile('--reward', path);
  const reward = functionOf(exported, 'reward');
  if (reward === null)
    throw new EmacError(
      'data',
      `--reward ${path}: exports no function reward; write export function reward(attempt) { … }`,
    );
  return { name: path, sha256, reward };
}

/**
 * The reward of a configuration: the environment's return, success, or the given code. Code is given beside a configuration,
 * never loaded from its settings. Errors: `usage` if only one of the two is present.
 */
export function rewardIn(attempt: string, given: GivenReward | undefined): PlayedReward {
  if (isModulePath(attempt)) {
    if (given) return guardedReward(given);
    throw new EmacError(
      'usage',
      `rewards.attempt ${attempt}: is code, which runs only if the command line names it; add --reward ${attempt}`,
    );
  }
  if (given)
    throw new EmacError('usage', `--reward ${given.name}: was given, but the configuration says ${attempt}`);
  return attempt as 'return' | 'success';
}

/** Errors: `ModuleFault` for what it throws, and for a result that is no reward. */
function guardedReward(given: GivenReward): OwnReward {
  return (attempt) => {
    const where = `--reward ${given.name}: reward(attempt) of ${attempt.task.id}`;
    const { length } = attempt.steps;
    let found: unknown;
    try {
      found = given.reward(attempt);
    } catch (thrown) {
      throw new ModuleFault(`${where} threw: ${messageOf(thrown)}`, { cause: thrown });
    }
    if (Number.isFinite(found)) return found as number;
    const list = Array.isArray(found) ? Array.from<unknown>(found) : null;
    if (list?.length === length && areFinite(list)) return list;
    // its fault is this one
    if (found instanceof Promise) found.catch(() => undefined);
    throw new ModuleFault(
      `${where} must return a finite number, or a list of one for each of its ${length} steps, got ${shown(found)}`,
    );
  };
}

/** Their sum, too. */
function areFinite(list: readonly unknown[]): list is number[] {
  return list.every((each) => Number.isFinite(each)) && Number.isFinite(sumOf(list as number[]));
}

function sumOf(list: readonly number[]): number {
  return list.reduce((sum, each) => sum + each, 0);
}

function shown(found: unknown): string {
  if (found instanceof Promise) return 'a promise';
  return inspect(found, { depth: 1, breakLength: Infinity, maxArrayLength: 5 }).slice(0, 100);
}
