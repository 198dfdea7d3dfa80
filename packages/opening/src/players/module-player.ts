/**
 * A policy in a file: it exports `act(observation, { actions, history, random })`, which gives an action's text or its index in
 * `actions`. It runs in a thread of its own, as custom environments do, and sees observations and history only, never the task.
 */
import { EmacError, messageOf } from '@emac/core';
import type { ModuleOptions } from '../environments/environment-module.ts';
import { NoAnswer, type ModuleThread } from '../environments/module-thread.ts';
import { ownFunction } from '../own-function.ts';
import type { EnvironmentPlayer, PlayedMoment } from './environment-player.ts';

const wanted = { flag: '--policy', name: 'act', parameters: 'observation, { actions, history, random }' };

/** Runs the file. Errors: `missing`; `data` if it fails or exports no such function. */
export async function modulePlayer(path: string, options?: ModuleOptions): Promise<EnvironmentPlayer> {
  const { sha256, thread } = await ownFunction(path, wanted, options);
  return {
    content: sha256,
    isDrawn: true,
    atOnce: 8,
    notes: [],
    act: async (moment) => {
      return { action: actionOf(path, await asked(path, thread, moment), moment), isFallback: false };
    },
    service: null,
    dispose: () => thread.close(),
  };
}

async function asked(
  path: string,
  thread: ModuleThread,
  { task, history, observation, random }: PlayedMoment,
): Promise<unknown> {
  const { text, frames, arrays = {}, admissible } = observation;
  const where = `act for step ${history.turns.length + 1} of ${task.id}`;
  try {
    return await thread.call(
      { call: 'act', where },
      { text, frames, arrays },
      { actions: admissible, history },
      random.uint32(),
    );
  } catch (thrown) {
    const rule = thrown instanceof NoAnswer ? thrown.message : `${where} threw: ${messageOf(thrown)}`;
    throw new EmacError('data', `--policy ${path}: ${rule}`, { cause: thrown });
  }
}

/** A text is taken as it is: the environment judges it. */
function actionOf(path: string, given: unknown, { task, observation: { admissible } }: PlayedMoment): string {
  if (typeof given === 'string') return given;
  const named = typeof given === 'number' ? admissible?.[given] : undefined;
  if (named !== undefined) return named;
  const rule = admissible ? `a text, or an index below ${admissible.length}` : 'a text';
  const got = typeof given === 'number' ? given : typeof given;
  throw new EmacError('data', `--policy ${path}: act must give ${rule}, got ${got} in ${task.id}`);
}
