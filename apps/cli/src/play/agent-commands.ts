/** Commands of an agent: served at an address, or a run, checkpoint or model by name. */
import { connectPolicy } from '@emac/bridge';
import { EmacError, type Frame, type History, type Turn } from '@emac/core';
import { openAgent, openNetwork } from '@emac/experiment';
import { actingIn, plainHost, type Host } from '@emac/opening';
import { usualEnvironment } from '@emac/settings';
import { runNamed } from '../options/run-name.ts';
import { tokenIn } from '../options/server-options.ts';
import type { Io } from '../terminal/io.ts';
import type { Arrays } from './game.ts';
import { isAddress } from './stepping-agent.ts';
import type { PlayedStep } from './played-step.ts';

export interface WatchedAgent {
  /** commands before a game is given up */
  readonly maxSteps: number;
  /** A command for every state from `seen`, until the game ends. */
  commands(seen: () => Seen): AsyncIterable<string>;
  dispose(): Promise<void>;
}

/** An agent's view: the newest step and its frame. */
export interface Seen {
  readonly step: PlayedStep;
  readonly frames: readonly Frame[];
  readonly arrays: Arrays;
}

export interface AgentPlace extends Pick<Host, 'environment'> {
  /** the environment it plays */
  readonly played: string;
}

/** Decodes like `emac eval` with default settings. */
const usualSteps = 50;

/** Opens it. Errors: as `openAgent`; `usage` for an invalid address. A served agent is first called when it acts. */
export async function watchedAgent(
  name: string,
  { env, ...where }: Pick<Io, 'env'> & AgentPlace,
): Promise<WatchedAgent> {
  if (isAddress(name)) {
    const policy = connectPolicy(name, { token: tokenIn(env) });
    return {
      maxSteps: usualSteps,
      commands: (seen) => commandsOf(seen, async (situation) => (await policy.act(situation)).command),
      dispose: async () => {},
    };
  }
  const run = runNamed(name);
  const { trained } = actingIn(run, where.played);
  if (where.played === usualEnvironment && trained !== null && trained !== where.played)
    throw new EmacError(
      'usage',
      `--agent ${name}: was trained in ${trained}; give that environment in place of a game`,
    );
  const network = await openNetwork(run, { ...plainHost(), env, ...where });
  if (network)
    return {
      // the environment's own
      maxSteps: Infinity,
      commands: (seen) =>
        commandsOf(seen, ({ history, ...observation }) => network.act(observation, history)),
      dispose: () => network.dispose(),
    };
  const agent = await openAgent(run, { env: where.played }, { env, ...where });
  return {
    maxSteps: agent.form.maxSteps,
    commands: (seen) => commandsOf(seen, ({ history, ...observation }) => agent.act(observation, history)),
    dispose: () => agent.dispose(),
  };
}

interface Situation extends Pick<Seen, 'frames' | 'arrays'> {
  readonly history: History;
  readonly admissible: readonly string[];
}

async function* commandsOf(
  seen: () => Seen,
  act: (situation: Situation) => Promise<string>,
): AsyncGenerator<string> {
  const { observation: initial } = seen().step;
  const turns: Turn[] = [];
  for (;;) {
    const { frames, arrays, step } = seen();
    if (step.command !== null) turns.push({ command: step.command, observation: step.observation });
    yield await act({
      history: { initial, turns: [...turns] },
      frames,
      arrays,
      admissible: step.admissible,
    });
  }
}
