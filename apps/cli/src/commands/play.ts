/**
 * `emac play`: a game from typed commands, a file, another program or an agent. Only an agent has a step limit by default. `play-environment.ts` plays
 * environments with numbered actions.
 */
import { EmacError } from '@emac/core';
import { writeFileAtomic } from '@emac/files';
import { encodeFilm, type Scene } from '@emac/images';
import { usualEnvironment } from '@emac/settings';
import type { WatchedAgent } from '../play/agent-commands.ts';
import { askedCommands, givenCommands } from '../play/given-commands.ts';
import { givenEnvironment } from '../options/given-code.ts';
import { isEnvironmentId, isPlayedModule, isWordedId } from '../play/environment-id.ts';
import { householdGame, wordedGame, type PlayedGame } from '../play/game.ts';
import { playOptions as options, type PlayValues } from '../play/play-options.ts';
import { played, words, wordsToAPerson, type PlayedStep } from '../play/played-step.ts';
import { shownFrames } from '../play/shown-frames.ts';
import { savePicture } from '../play/step-pictures.ts';
import { say, type Io } from '../terminal/io.ts';
import { lettingSignalsIn } from '../terminal/let-signals-in.ts';
import { hint, isAPersonThere, typedByAPerson } from '../terminal/typed-by-a-person.ts';
import { wrapped } from '../terminal/wrapped.ts';
import { command } from '../calling/command.ts';

export const playCommand = command({
  options,
  run: (values, [game], io) => play(game!, values, io),
});

/** Plays, with an agent if one is named. Errors: as opening the agent, `playGame` and `playEnvironment`. */
async function play(name: string, values: PlayValues, io: Io): Promise<number> {
  const isWords = isWordedId(name);
  if (!isWords && isEnvironmentId(name)) {
    const { playEnvironment } = await import('../play/play-environment.ts');
    return playEnvironment(name, values, io);
  }
  const { environment = null } = isPlayedModule(name) ? await givenEnvironment(name) : {};
  const isHousehold = environment === null && !isWords;
  for (const flag of ['seed', 'palette'] as const)
    if (values[flag] !== null && (isHousehold || flag === 'palette'))
      throw new EmacError('usage', `--${flag}: is for gym_cards/… and MiniGrid-…, got ${name}; leave it out`);
  if (values.agent !== null && values.commands !== null)
    throw new EmacError('usage', '--agent: chooses the commands itself; leave --commands out');
  const given = values.agent === null ? givenCommands(values, io) : null;
  const { seed, 'max-steps': maxSteps } = values;
  const game = isHousehold
    ? householdGame(name)
    : await wordedGame({ env: name, task: Number(seed ?? 0), maxSteps, given: environment });
  try {
    if (values.agent === null) return await playGame(game, values, { ...io, given });
    const { watchedAgent } = await import('../play/agent-commands.ts');
    const played = isHousehold ? usualEnvironment : name;
    const agent = await watchedAgent(values.agent, {
      env: io.env,
      played,
      ...(environment && { environment }),
    });
    return await playGame(game, values, { ...io, given, agent }).finally(() => agent.dispose());
  } finally {
    await game.close();
  }
}

interface Playing {
  /** commands of a file or another program; null for an agent or a person */
  readonly given: AsyncIterable<string> | null;
  readonly agent?: WatchedAgent;
}

/** Returns 0, or 130 after Ctrl-C at the prompt. Errors: `missing`, `data`, `usage`, `cannot-create`. */
async function playGame(
  game: PlayedGame,
  values: PlayValues,
  { agent, given, ...io }: Io & Playing,
): Promise<number> {
  const isPerson = !agent && given === null && isAPersonThere(io);
  const limit = values['max-steps'] ?? agent?.maxSteps ?? Infinity;
  const isWatched = agent !== undefined && !values.json && io.stdout.isTerminal;
  let wasInterrupted = false;
  const scenes: Scene[] = [];
  const showFrame = shownFrames(values.show, io);
  const show = async (step: PlayedStep): Promise<void> => {
    const picture = values.frames === null ? null : game.shown(300);
    if (picture) await savePicture(values.frames!, step.step, picture);
    const [frame] = values.gif === null ? [] : game.frames();
    if (frame) scenes.push({ frame, caption: captionOf(step) });
    if (isPerson || isWatched) await showFrame((side) => game.shown(side));
    say(io.stdout, values.json ? JSON.stringify(step) : isPerson ? toAPerson(step, io) : words(step));
  };
  let last = played(await game.reset(), { step: 0, command: null, limit });
  await show(last);
  const typing = { admissible: () => last.admissible, interrupted: () => void (wasInterrupted = true) };
  if (isPerson) say(io.stderr, wrapped(hint, io.stderr.columns));
  const seen = () => ({ step: last, frames: game.frames(), arrays: game.arrays() });
  const typed = () => (isPerson ? typedByAPerson(io, typing) : askedCommands(io));
  const commands = agent?.commands(seen) ?? given ?? typed();
  for await (const command of lettingSignalsIn(commands)) {
    last = played(await game.step(command), { step: last.step + 1, command, limit });
    await show(last);
    if (io.stdout.isClosed || last.step >= limit || (given === null && last.done)) break;
  }
  if (values.gif !== null) writeFileAtomic(values.gif, encodeFilm(scenes));
  return wasInterrupted ? 130 : 0;
}

/** Whole words at the margin; one column stays free, because some terminals break a full line. */
function toAPerson(step: PlayedStep, { stdout }: Io): string {
  return wrapped(wordsToAPerson(step), stdout.columns - 1);
}

function captionOf({ step, command, observation, won }: PlayedStep): string {
  if (command === null) return observation.split('\n').at(-1)!;
  return `${step}. ${command}.${won ? ' Won.' : ''}`;
}
