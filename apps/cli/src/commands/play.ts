/**
 * `emac play`: a game from typed commands, a file, another program or an agent. There is no step limit unless one is given, but for an agent.
 * Environments that are stepped by number are played in `play-environment.ts`.
 */
import { EmacError } from '@emac/core';
import { writeFileAtomic } from '@emac/files';
import { encodeFilm, type Scene } from '@emac/images';
import { renderFrame, World } from '@emac/world';
import type { WatchedAgent } from '../play/agent-commands.ts';
import { askedCommands, givenCommands } from '../play/given-commands.ts';
import { isEnvironmentId } from '../play/environment-id.ts';
import { namedGame } from '../play/named-game.ts';
import { playOptions as options, type PlayValues } from '../play/play-options.ts';
import { played, words, wordsToAPerson, type PlayedStep } from '../play/played-step.ts';
import { shownFrames } from '../play/shown-frames.ts';
import { savePicture } from '../play/step-pictures.ts';
import { say, type Io } from '../terminal/io.ts';
import { lettingSignalsIn } from '../terminal/let-signals-in.ts';
import { hint, isAPersonThere, typedByAPerson } from '../terminal/typed-by-a-person.ts';
import { wrapped } from '../terminal/wrapped.ts';
import { command } from './command.ts';

export const playCommand = command({
  options,
  run: (values, [game], io) => play(game!, values, io),
});

/** Plays, with an agent where one is named. Errors: those of the agent, of `playGame` and `playEnvironment`. */
async function play(name: string, values: PlayValues, io: Io): Promise<number> {
  if (isEnvironmentId(name)) {
    const { playEnvironment } = await import('../play/play-environment.ts');
    return playEnvironment(name, values, io);
  }
  for (const flag of ['seed', 'palette'] as const)
    if (values[flag] !== null)
      throw new EmacError(
        'usage',
        `--${flag}: is for gym_cards/… and MiniGrid-…, ${name} is a game; leave it out`,
      );
  if (values.agent === null) return playGame(name, values, io);
  if (values.commands !== null)
    throw new EmacError('usage', '--agent: plays by itself; leave --commands out');
  const { watchedAgent } = await import('../play/agent-commands.ts');
  const agent = await watchedAgent(values.agent, io);
  try {
    return await playGame(name, values, { ...io, agent });
  } finally {
    await agent.dispose();
  }
}

/** Returns 0, or 130 after Ctrl-C at the prompt. Errors: `missing`, `data`, `usage`, `cannot-create`. */
async function playGame(
  name: string,
  values: PlayValues,
  { agent, ...io }: Io & { readonly agent?: WatchedAgent },
): Promise<number> {
  const given = agent ? null : givenCommands(values, io);
  const isPerson = !agent && given === null && isAPersonThere(io);
  const world = new World(namedGame(name));
  const limit = values['max-steps'] ?? agent?.maxSteps ?? Infinity;
  const isWatched = agent !== undefined && !values.json && io.stdout.isTerminal;
  let wasInterrupted = false;
  const scenes: Scene[] = [];
  const showFrame = shownFrames(values.show, io);
  const drawn = (side: number) => renderFrame(world.visible(), { width: side, height: side });
  const show = async (step: PlayedStep): Promise<void> => {
    if (values.frames !== null) await savePicture(values.frames, step.step, drawn(300));
    if (values.gif !== null) scenes.push({ frame: renderFrame(world.visible()), caption: captionOf(step) });
    if (isPerson || isWatched) await showFrame(drawn);
    say(io.stdout, values.json ? JSON.stringify(step) : isPerson ? toAPerson(step, io) : words(step));
  };
  let last = played(world.reset(), { step: 0, command: null, limit });
  await show(last);
  const typing = { admissible: () => last.admissible, interrupted: () => void (wasInterrupted = true) };
  if (isPerson) say(io.stderr, wrapped(hint, io.stderr.columns));
  const seen = () => ({ step: last, frame: renderFrame(world.visible()) });
  const typed = () => (isPerson ? typedByAPerson(io, typing) : askedCommands(io));
  const commands = agent?.commands(seen) ?? given ?? typed();
  for await (const command of lettingSignalsIn(commands)) {
    last = played(world.step(command), { step: last.step + 1, command, limit });
    await show(last);
    if (io.stdout.isClosed || last.step >= limit || (given === null && last.won)) break;
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
