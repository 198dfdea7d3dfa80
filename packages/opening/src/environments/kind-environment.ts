/** A kind's environment for training and evaluation, with the rule for winning. */
import { EmacError, isWon, withoutFrames, type Environment, type Episode, type OpenedKind } from '@emac/core';
import type { HttpWorld } from '@emac/bridge';
import { withThoughts } from '@emac/rollout';
import { usualEnvironment, type WorldConfig } from '@emac/settings';
import type { Host } from '../host.ts';
import type { PolicyForm } from '../models/policy-form.ts';
import type { GivenEnvironment } from './environment-module.ts';
import { openClientKind } from '../tasks/client-kind.ts';
import { openRemoteKind } from '../tasks/remote-kind.ts';
import { worldsOf } from '../tasks/remote-world.ts';
import { kindNamed, kindOf } from './kind-of.ts';

/** The environment to open; `seed`: a run's, for its training tasks. */
export interface Opening {
  readonly env: string;
  readonly maxSteps: number | null;
  readonly palette?: string | null;
  /** pixels per side of a frame's tile, or of the frame; absent: the size shown to people */
  readonly frameSize?: number | undefined;
  readonly seed?: number | undefined;
  /** sources of training and held-out tasks; null or absent: the kind's own */
  readonly source?: string | null;
  readonly heldOut?: string | null;
}

/** Where it is played: absent, or `own`, here. */
export interface PlayedAt {
  readonly world: WorldConfig;
  readonly host: Host;
}

/**
 * Opens the environment of a run or evaluation. `given` is the custom module from the command line. Errors: `usage`;
 * those of the kind, and of `openClientKind`.
 */
export async function openKind(
  { env, maxSteps, palette = null, frameSize, seed, ...sources }: Opening,
  given: GivenEnvironment | null,
  at?: PlayedAt,
): Promise<OpenedKind> {
  requireAsked(env, given);
  const isElsewhere = at !== undefined && at.world.kind !== 'own';
  if (isElsewhere && !areGames(env)) return openClientKind({ env, maxSteps, palette }, at.world, at.host);
  const kind = kindOf(env, given);
  const own = await kind.open(kind.idOf(env)!, {
    maxSteps,
    palette,
    ...sources,
    ...(frameSize !== undefined && { frameSize }),
    ...(seed !== undefined && { seed }),
  });
  return isElsewhere ? openRemoteKind(own, at.world, at.host) : own;
}

/** Whether clients list its games, in place of describing an environment. */
function areGames(env: string): boolean {
  return env === usualEnvironment;
}

export interface PlayedOnce {
  readonly kind: OpenedKind;
  /** whose clients list their games or bring them; null if the kind has the tasks */
  readonly clients: HttpWorld | null;
}

/** The same, for methods that play each task once a round: they draw from the games of clients, or take them as they come. */
export async function openPlayedOnce(
  opening: Opening,
  given: GivenEnvironment | null,
  at: PlayedAt,
): Promise<PlayedOnce> {
  const { world, host } = at;
  if (world.kind === 'own' || !areGames(opening.env))
    return { kind: await openKind(opening, given, at), clients: null };
  const kind = await openKind(opening, given);
  return { kind, clients: await worldsOf(host).open(world, host) };
}

/** Errors: `usage` for code given with an environment that is not custom. */
export function requireAsked(env: string, given: GivenEnvironment | null): void {
  if (given !== null && kindNamed(env) !== null)
    throw new EmacError('usage', `--env ${given.name}: was given, but the configuration says ${env}`);
}

/**
 * Episodes as a policy observes them: without pictures if it reads texts alone, with thoughts if it has them and `isReAct`. An
 * episode is won if the environment says so; without a goal, if its rewards sum to more than 0.
 */
export function kindEnvironment(
  kind: Pick<OpenedKind, 'begin' | 'hasGoal' | 'isReAct'>,
  text: PolicyForm['text'],
): Pick<Environment, 'begin'> {
  return {
    async begin(task, seed) {
      const episode = observed(await kind.begin(task, seed), kind, text.observe === 'text');
      return text.thoughts && kind.isReAct ? withThoughts(episode) : episode;
    },
  };
}

function observed(episode: Episode, kind: Pick<OpenedKind, 'hasGoal'>, isBlind: boolean): Episode {
  let sum = 0;
  let isOver = false;
  return {
    task: episode.task,
    first: isBlind ? withoutFrames(episode.first) : episode.first,
    async step(action, answer) {
      const step = await episode.step(action, answer);
      if (!isOver) sum += step.reward;
      isOver = step.terminated || step.truncated;
      const { won: said } = step.info;
      const won = kind.hasGoal ? said : isOver && isWon(kind, { won: said, return: sum });
      const seen = isBlind ? { ...step, observation: withoutFrames(step.observation) } : step;
      return won === said ? seen : { ...seen, info: { ...step.info, won } };
    },
    close: () => episode.close(),
  };
}

/** The scripted player. Errors: `usage` if there is none. */
export function playerOf({ id, player }: OpenedKind): NonNullable<OpenedKind['player']> {
  if (player) return player;
  throw new EmacError(
    'usage',
    `--expert handcoded: ${id} has no scripted player; give your own with --expert FILE`,
  );
}
