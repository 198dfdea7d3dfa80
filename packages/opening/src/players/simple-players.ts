/** Players without training or code of their own: random actions, the environment's player, a person, an agent at an address. */
import { EmacError, type OpenedKind } from '@emac/core';
import { firstOf } from '../environments/environment-facts.ts';
import type { Host } from '../host.ts';
import {
  admissibleNow,
  drawnAction,
  simplePlayer,
  type EnvironmentPlayer,
  type PlayedMoment,
} from './environment-player.ts';
import { saidBy, type Person } from './person.ts';

/**
 * Draws one of the admissible actions, each with the same probability: the lower bound of every comparison. Errors: `usage` for an
 * environment that draws none and lists none at its first held-out task.
 */
export async function randomPlayer(
  opened: Pick<OpenedKind, 'tasks' | 'begin' | 'draw'>,
): Promise<EnvironmentPlayer> {
  if (opened.draw)
    return simplePlayer('random', async ({ observation, random }) => {
      return { action: opened.draw!(observation, random), isFallback: false };
    });
  const task = opened.tasks.heldOut.at(0);
  const observation = await firstOf(opened, task);
  admissibleNow('random', { task, observation });
  return simplePlayer('random', async (moment) => {
    return { action: moment.random.pick(admissibleNow('random', moment)), isFallback: false };
  });
}

/**
 * The environment's own scripted player, as the hand-coded expert of ALFWorld: the upper bound of most comparisons. Errors: `usage` for
 * an environment without one.
 */
export function scriptedInEnvironment({
  id,
  player,
  draw,
}: Pick<OpenedKind, 'id' | 'player' | 'draw'>): EnvironmentPlayer {
  if (!player)
    throw new EmacError('usage', `--policy scripted: ${id} has no scripted player; give another policy`);
  const act = async (moment: PlayedMoment) => {
    const { task, history, observation } = moment;
    const label = await player.label({ task, history, memories: [], admissible: observation.admissible });
    if (label.kind === 'action') return { action: label.command, isFallback: false };
    return draw
      ? { action: draw(observation, moment.random), isFallback: true }
      : drawnAction('scripted', moment);
  };
  return simplePlayer('scripted', act, { isDrawn: false });
}

/**
 * An agent that a server answers for (`emac serve`): it gets the episode, and writes its own prompt. The token is in the file of
 * EMAC_TOKEN_FILE. Nothing is sent before the first action. Errors: `usage` for an invalid address; those of the file.
 */
export async function servedPlayer(url: string, { env }: Pick<Host, 'env'>): Promise<EnvironmentPlayer> {
  const { connectPolicy, readToken } = await import('@emac/bridge');
  const file = env['EMAC_TOKEN_FILE'];
  const policy = connectPolicy(url, { token: file ? readToken(file) : null });
  return simplePlayer(url, async ({ history, observation: { frames, admissible } }) => {
    const { command } = await policy.act({ history, frames, admissible });
    return { action: command, isFallback: false };
  });
}

/** A person who types the action of every step. Errors: `usage` without one; while playing `interrupted` once nothing more is typed. */
export function personPlayer(person: Person | undefined): EnvironmentPlayer {
  if (!person)
    throw new EmacError(
      'usage',
      '--policy human: needs somebody who types actions, and there is nobody; give another policy',
    );
  // one person, one episode
  return simplePlayer(
    'human',
    async (moment) => ({ action: await typedBy(person, moment), isFallback: false }),
    { atOnce: 1 },
  );
}

async function typedBy(person: Person, { task, history, observation }: PlayedMoment): Promise<string> {
  const { text, frames, admissible } = observation;
  const isFirst = history.turns.length === 0;
  const action = await saidBy(person, { task: task.id, isFirst, text, frames, admissible });
  if (action !== null) return action;
  throw new EmacError(
    'interrupted',
    `--policy human: nothing more was typed in ${task.id}; the same command with --out plays on from the finished episodes`,
  );
}
