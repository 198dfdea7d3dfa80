/** A reward of one's own: a JavaScript file that exports `reward(attempt)`, called for every attempt of training. */
import { inspect } from 'node:util';
import { EmacError, isReward, largestReward, messageOf } from '@emac/core';
import type { EndedAttempt, OwnReward, PlayedReward } from '@emac/algorithms';
import { isModulePath } from '../code-file.ts';
import type { ModuleOptions } from '../environments/environment-module.ts';
import { ModuleFault } from '../environments/module-faults.ts';
import { NoAnswer } from '../environments/module-thread.ts';
import { ownFunction } from '../own-function.ts';

/** A reward that is given to a run, not made from its configuration. */
export interface GivenReward {
  /** for people, such as the path of its file */
  readonly name: string;
  /** of its code, which must be the same on resume; packages that it imports are not included */
  readonly sha256: string;
  /** A number, paid with the last step, or a list with one for each step; may be a promise, may throw. */
  reward(attempt: EndedAttempt): unknown;
}

const wanted = { flag: '--reward', name: 'reward', parameters: 'attempt' };

/** Runs the file and takes its `reward`. Errors: `missing`; `data` if it fails or exports no such function. */
export async function loadRewardModule(path: string, options?: ModuleOptions): Promise<GivenReward> {
  const { sha256, thread } = await ownFunction(path, wanted, options);
  return {
    name: path,
    sha256,
    reward: (attempt) => thread.call({ call: 'run', where: rewardOf(attempt) }, attempt),
  };
}

function rewardOf({ task }: EndedAttempt): string {
  return `reward(attempt) of ${task.id}`;
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
  return async (attempt) => {
    const { length } = attempt.steps;
    const fault = (rule: string, cause?: unknown) =>
      new ModuleFault(`--reward ${given.name}: ${rule}`, { cause });
    let found: unknown;
    try {
      found = await given.reward(attempt);
    } catch (thrown) {
      if (thrown instanceof NoAnswer) throw fault(thrown.message, thrown);
      throw fault(`${rewardOf(attempt)} threw: ${messageOf(thrown)}`, thrown);
    }
    if (isReward(found)) return found;
    const list = Array.isArray(found) ? Array.from<unknown>(found) : null;
    if (list?.length === length && areRewards(list)) return list;
    const rule = `a finite number, at most ${largestReward}, or a list of one for each of its ${length} steps`;
    const got = inspect(found, { depth: 1, breakLength: Infinity, maxArrayLength: 5 }).slice(0, 100);
    throw fault(`${rewardOf(attempt)} must return ${rule}, got ${got}`);
  };
}

/** Their sum, too. */
function areRewards(list: readonly unknown[]): list is number[] {
  return list.every(isReward) && isReward(sumOf(list));
}

function sumOf(list: readonly number[]): number {
  return list.reduce((sum, each) => sum + each, 0);
}
