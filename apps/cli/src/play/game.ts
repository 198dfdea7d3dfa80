/** What is played step by step: a household game of ALFWorld, a task of any environment of words, or levels of one with numbered actions. */
import {
  EmacError,
  type Episode,
  type Frame,
  type Info,
  type Observation,
  type Seed,
  type Task,
} from '@emac/core';
import { environmentId, kindEnvironment, openKind, type GivenEnvironment } from '@emac/opening';
import { alfworld, renderFrame, type VisibleState } from '@emac/world';
import { namedGame } from './named-game.ts';
import { smallerFrame } from './smaller-frame.ts';

/** A step, as every game has it. */
export interface Played {
  readonly step: number;
  /** null for the first observation */
  readonly action: string | null;
  readonly observation: Observation;
  readonly reward: number;
  /** sum of the episode's rewards */
  readonly score: number;
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly info: Info;
  /** the episode has ended, or its step limit is reached */
  readonly done: boolean;
}

interface Reader {
  readonly isPerson: boolean;
  /** pictures are shown to the person */
  readonly hasPictures: boolean;
  /** nothing follows */
  readonly isLast: boolean;
}

export interface PlayedGame {
  readonly id: string;
  /** words of the actions by number, where a player may begin further episodes; null: actions are words of each moment */
  readonly actions: readonly string[] | null;
  /** Begins an episode; null continues the random stream of the last one. */
  begin(seed: Seed | null): Promise<Episode & { readonly info?: Info }>;
  /** The action of what an agent said. */
  actionOf(said: string): string;
  /** One line of `--json`. */
  data(played: Played): object;
  words(played: Played, reader: Reader): string;
  /** The picture for people, with at most so many pixels a side; null without pictures. */
  picture(played: Played, side: number): Frame | null;
  close(): Promise<void>;
}

/** One line of `--json`. */
interface PlayedStep {
  readonly step: number;
  readonly command: string | null;
  readonly observation: string;
  readonly admissible: readonly string[];
  readonly score: number;
  /** the game is over, or its step limit reached */
  readonly done: boolean;
  readonly won: boolean;
}

const inWords: Pick<PlayedGame, 'actions' | 'actionOf' | 'data' | 'words'> = {
  actions: null,
  actionOf: (said) => said,
  data({ step, action, observation: { text, admissible }, score, done, info }): PlayedStep {
    return {
      step,
      command: action,
      observation: text,
      admissible: admissible ?? [],
      score,
      done,
      won: info.won,
    };
  },
  words: (played, { isPerson }) => (isPerson ? wordsToAPerson(played) : words(played)),
};

/** For a file: repeats the command. */
function words({ step, action, observation: { text }, info: { won }, done }: Played): string {
  const end = won ? `\n\nYou won in ${step} steps.` : done ? '\n\nThe step limit is reached.' : '';
  return `${action === null ? '' : `> ${action}\n`}${text}${end}`;
}

/** For a person: without the command, because the terminal shows it already. */
function wordsToAPerson({ step, observation: { text }, info: { won }, done }: Played): string {
  const steps = step === 1 ? '1 step' : `${step} steps`;
  if (won) return `${text}\n\nWell done: you won in ${steps}.`;
  return done ? `${text}\n\nThat was the limit of ${steps}; better luck next time.` : text;
}

/** Errors: as `namedGame`. */
export function householdGame(name: string): PlayedGame {
  let view: VisibleState | null = null;
  const environment = alfworld([namedGame(name)], { frames: (visible) => renderFrame((view = visible)) });
  return {
    ...inWords,
    id: name,
    begin: () => environment.begin(environment.tasks[0]!, '0'),
    picture({ observation: { frames } }, side) {
      const [frame = null] = frames;
      return frame && renderFrame(view!, { width: side, height: side });
    },
    close: async () => {},
  };
}

interface WordedGame {
  readonly env: string;
  /** index of the held-out task, from 0 */
  readonly task: number;
  /** null for the environment's own limit */
  readonly maxSteps: number | null;
  /** the module in `env`; null for an id */
  readonly given: GivenEnvironment | null;
}

/** A held-out task. Errors: as opening the environment; `usage` for a task beyond the last. */
export async function wordedGame({ env, task, maxSteps, given }: WordedGame): Promise<PlayedGame> {
  const id = environmentId(env, given);
  const kind = await openKind({ env, maxSteps }, given);
  const { count, at } = kind.tasks.heldOut;
  if (count !== null && task >= count) {
    await kind.close?.();
    throw new EmacError(
      'usage',
      `--seed: ${id} has ${count} held-out tasks, from 0 to ${count - 1}, got ${task}`,
    );
  }
  const chosen: Task = at(task);
  const environment = kindEnvironment(kind, { maxTokens: 0, thoughts: false, observe: 'both' });
  let episode: Episode | null = null;
  return {
    ...inWords,
    id,
    begin: async () => (episode = await environment.begin(chosen, '0')),
    picture: ({ observation: { frames } }, side) => (frames[0] ? smallerFrame(frames[0], side) : null),
    async close() {
      await episode?.close();
      await kind.close?.();
    },
  };
}
