/**
 * A policy in a file: it exports `act(observation, { actions, history, random })`, which gives an action's text or its index in
 * `actions`. It runs in a thread of its own, as custom environments do, and sees observations and history only, never the task.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmacError, messageOf } from '@emac/core';
import { failedToLoad } from '../code-file.ts';
import { moduleCode } from '../environments/module-code.ts';
import { secondsOf, withoutKeys, type ModuleOptions } from '../environments/environment-module.ts';
import { loadedIn } from '../environments/module-parts.ts';
import { moduleThread, NoAnswer, type ModuleThread } from '../environments/module-thread.ts';
import type { EnvironmentPlayer, PlayedMoment } from './environment-player.ts';

/** Runs the file. Errors: `missing`; `data` if it fails or exports no such function. */
export async function modulePlayer(path: string, options: ModuleOptions = {}): Promise<EnvironmentPlayer> {
  const { said = () => {}, env = process.env } = options;
  const { entry, sha256 } = moduleCode(path, '--policy');
  const url = `${pathToFileURL(resolve(entry)).href}?${sha256}`;
  const open = (exported: string | null) =>
    moduleThread({ url, exported, seconds: secondsOf(env), env: withoutKeys(env), said });
  const thread = await actingThread(path, open);
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

/** `act` by name, the default function, or the default's method. */
async function actingThread(
  path: string,
  open: (exported: string | null) => ModuleThread,
): Promise<ModuleThread> {
  for (const exported of ['act', null]) {
    const thread = open(exported);
    try {
      const { calls } = await loadedIn(thread);
      if (calls?.act) return thread;
    } catch (thrown) {
      await thread.close();
      const rule = thrown instanceof NoAnswer ? thrown.message : failedToLoad(path, thrown);
      throw new EmacError('data', `--policy ${path}: ${rule}`, { cause: thrown });
    }
    await thread.close();
  }
  throw new EmacError(
    'data',
    `--policy ${path}: exports no function act; write export function act(observation, { actions, history, random }) { … }`,
  );
}

async function asked(
  path: string,
  thread: ModuleThread,
  { task, history, observation, random }: PlayedMoment,
): Promise<unknown> {
  const { text, frames, arrays = {}, admissible } = observation;
  try {
    return await thread.call(
      'act',
      { text, frames, arrays },
      { actions: admissible, history },
      random.uint32(),
    );
  } catch (thrown) {
    const where = `act for step ${history.turns.length + 1} of ${task.id}`;
    const rule = thrown instanceof NoAnswer ? thrown.message : `threw: ${messageOf(thrown)}`;
    throw new EmacError('data', `--policy ${path}: ${where} ${rule}`, { cause: thrown });
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
