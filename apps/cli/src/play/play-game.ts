/** One loop for every game and every player: shows each step, asks for the next action, and ends with the episode. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random, type Episode, type Frame, type Info, type Turn } from '@emac/core';
import type { OpenedPlayer } from '@emac/experiment';
import { createFolder, whileWriting, writeFileAtomic } from '@emac/files';
import { encodeFilm, encodePng, type Scene } from '@emac/images';
import { say, type Io } from '../terminal/io.ts';
import { lettingSignalsIn } from '../terminal/let-signals-in.ts';
import { isAPersonThere } from '../terminal/typed-by-a-person.ts';
import { wrapped } from '../terminal/wrapped.ts';
import type { Played, PlayedGame } from './game.ts';
import { askedLines, ordersIn, personalOrders, type Order } from './orders.ts';
import type { PlayValues } from './play-options.ts';
import { shownFrames, usedForm } from './shown-frames.ts';

interface Playing {
  readonly values: PlayValues;
  /** lines of a file or another program; null for an agent or somebody who types */
  readonly given: AsyncIterable<string> | null;
  readonly agent: OpenedPlayer | null;
}

/** Returns 0, or 130 after Ctrl-C at the prompt. Errors: `data` for an invalid line, `cannot-create`; those of agent and environment. */
export async function playGame(game: PlayedGame, playing: Playing, io: Io): Promise<number> {
  const { values, given, agent } = playing;
  const isPerson = !agent && given === null && isAPersonThere(io);
  // who gives lines may begin another episode; all others end with the first
  const isEndless = game.actions !== null && !agent && !isPerson;
  const limit = game.actions ? Infinity : (values['max-steps'] ?? agent?.maxSteps ?? Infinity);
  const show = shownSteps(game, { values, isPerson, isEndless, isWatched: agent !== null }, io);
  let wasInterrupted = false;
  const episodes = played(game, limit);
  let last = await episodes.begin(values.seed ?? 0);
  await show.step(last);
  const admissible = () => game.actions ?? last.observation.admissible ?? [];
  const typing = { admissible, interrupted: () => void (wasInterrupted = true) };
  const { commands } = values;
  const typed = () =>
    isPerson
      ? personalOrders(game, typing, io)
      : ordersIn(given ?? askedLines(io), { game, commands, admissible }, io);
  for await (const order of lettingSignalsIn<Order>(agent ? agentOrders(agent, game, episodes) : typed())) {
    if (order.kind === 'action' && last.done) {
      say(io.stderr, `${game.id}: the episode has ended; reset begins another`);
      break;
    }
    last = await (order.kind === 'reset' ? episodes.begin(order.seed) : episodes.step(order.action));
    await show.step(last);
    if (io.stdout.isClosed || (last.done && !isEndless)) break;
  }
  show.finish();
  return wasInterrupted ? 130 : 0;
}

type Episodes = ReturnType<typeof played>;

/** Episodes of a game, one after another, with their steps counted. */
function played(game: PlayedGame, limit: number) {
  let episode: Episode & { readonly info?: Info };
  let last: Played;
  let turns: Turn[] = [];
  const random = Random.fromSeed(0);
  return {
    async begin(seed: Parameters<PlayedGame['begin']>[0]): Promise<Played> {
      episode = await game.begin(seed);
      turns = [];
      const { first: observation, info = { won: false } } = episode;
      const nothing = { reward: 0, score: 0, terminated: false, truncated: false, done: false };
      return (last = { step: 0, action: null, observation, ...nothing, info });
    },
    async step(action: string): Promise<Played> {
      const { observation, reward, terminated, truncated, info } = await episode.step(action);
      const step = last.step + 1;
      turns.push({ command: action, observation: observation.text });
      const done = terminated || truncated || step >= limit;
      const score = last.score + reward;
      return (last = { step, action, observation, reward, score, terminated, truncated, info, done });
    },
    moment: () => ({
      task: episode.task,
      history: { initial: episode.first.text, turns: [...turns] },
      observation: last.observation,
      random,
    }),
  };
}

async function* agentOrders(
  agent: OpenedPlayer,
  { actionOf }: PlayedGame,
  { moment }: Episodes,
): AsyncGenerator<Order> {
  for (;;) yield { kind: 'action', action: actionOf((await agent.act(moment())).action) };
}

interface Shown {
  readonly values: PlayValues;
  readonly isPerson: boolean;
  readonly isEndless: boolean;
  readonly isWatched: boolean;
}

/** Prints, saves and films steps. */
function shownSteps(game: PlayedGame, { values, isPerson, isEndless, isWatched }: Shown, io: Io) {
  const { json, frames, show, gif } = values;
  const scenes: Scene[] = [];
  const showFrame = shownFrames(show, io);
  const hasPictures = usedForm(show, io) !== 'none';
  const isSeen = isPerson || (isWatched && !json && io.stdout.isTerminal);
  let pictures = 0;
  return {
    async step(step: Played): Promise<void> {
      const picture = frames === null ? null : game.picture(step, 300);
      if (picture) await savePicture(frames!, pictures++, picture);
      const [frame] = gif === null ? [] : step.observation.frames;
      if (frame) scenes.push({ frame, caption: captionOf(step) });
      if (isSeen) await showFrame((side) => game.picture(step, side));
      const isLast = step.done && !isEndless;
      const words = json
        ? JSON.stringify(game.data(step))
        : game.words(step, { isPerson, hasPictures, isLast });
      // one column stays free, because some terminals break a full line
      say(io.stdout, isPerson && !json ? wrapped(words, io.stdout.columns - 1) : words);
    },
    finish(): void {
      if (gif !== null) writeFileAtomic(gif, encodeFilm(scenes));
    },
  };
}

function captionOf({ step, action, observation: { text }, info }: Played): string {
  if (action === null) return text.split('\n').at(-1)!;
  return `${step}. ${action}.${info.won ? ' Won.' : ''}`;
}

/** Saves frames into a folder made here. Errors: `cannot-create`, also for an existing file. */
export async function savePicture(folder: string, step: number, frame: Frame): Promise<void> {
  const path = join(folder, `step-${String(step).padStart(3, '0')}.png`);
  const png = await encodePng(frame);
  createFolder(folder);
  whileWriting(path, () => writeFileSync(path, png, { flag: 'wx' }));
}
