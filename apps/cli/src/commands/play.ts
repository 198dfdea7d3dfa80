/** `emac play`: a game or an environment, from typed actions, a file, another program or an agent. Only an agent has a step limit by default. */
import { EmacError } from '@emac/core';
import { environmentId, openEnvironment, policyNamed, type GivenEnvironment } from '@emac/opening';
import { usualEnvironment } from '@emac/settings';
import { givenEnvironment } from '../options/given-code.ts';
import { runNamed } from '../options/run-name.ts';
import { isEnvironmentId, isPlayedModule, isWordedId } from '../play/environment-id.ts';
import { householdGame, wordedGame } from '../play/game.ts';
import { numberedGame } from '../play/numbered-game.ts';
import { givenLines } from '../play/orders.ts';
import { playGame } from '../play/play-game.ts';
import { playOptions as options, type PlayValues } from '../play/play-options.ts';
import { hostOf } from '../terminal/host.ts';
import type { Io } from '../terminal/io.ts';
import { command } from '../calling/command.ts';

export const playCommand = command({
  options,
  run: (values, [game], io) => play(game!, values, io),
});

/** Plays, with an agent if one is named. Errors: as opening the agent and the game, and `playGame`. */
async function play(name: string, values: PlayValues, io: Io): Promise<number> {
  const isWords = isWordedId(name);
  const isNumbered = !isWords && isEnvironmentId(name);
  const { environment = null } = isPlayedModule(name) ? await givenEnvironment(name) : {};
  const isHousehold = environment === null && !isWords && !isNumbered;
  for (const flag of ['seed', 'palette'] as const)
    if (values[flag] !== null && (isHousehold || (flag === 'palette' && !isNumbered)))
      throw new EmacError('usage', `--${flag}: is for gym_cards/… and MiniGrid-…, got ${name}; leave it out`);
  if (values.agent !== null && values.commands !== null)
    throw new EmacError('usage', '--agent: chooses the actions itself; leave --commands out');
  const env = isHousehold ? usualEnvironment : isNumbered ? environmentId(name) : name;
  const given = values.agent === null ? givenLines(values, io) : null;
  const { palette, seed, 'max-steps': maxSteps } = values;
  const agent = await watchedAgent(env, values, { ...io, environment });
  try {
    const starts = agent && ({ set: 'heldOut', isCounted: true } as const);
    const game = isHousehold
      ? householdGame(name)
      : isNumbered
        ? numberedGame(
            agent?.environment ?? openEnvironment(env, { palette, maxSteps, ...(starts && { starts }) }),
          )
        : await wordedGame({ env, task: Number(seed ?? 0), maxSteps, given: environment });
    return await playGame(game, { values, given, agent }, io).finally(() => game.close());
  } finally {
    await agent?.dispose();
  }
}

/** Null if somebody types, who is the policy `human`. Errors: as `openPlayer`'s. */
async function watchedAgent(
  env: string,
  { agent: name, palette, 'max-steps': maxSteps }: PlayValues,
  { environment, ...io }: Io & { readonly environment: GivenEnvironment | null },
) {
  if (name === null || name === 'human') return null;
  const { openPlayer } = await import('../play/open-player.ts');
  const isRun = policyNamed(name).kind === 'trained' && name !== 'untouched';
  const host = { ...hostOf(io, undefined, { quiet: true }), ...(environment && { environment }) };
  return openPlayer(isRun ? runNamed(name, { env }) : name, { env, palette, maxSteps }, host);
}
