/** The client of the published wire: plays a local environment, game after game, with commands from a remote run. */
import { createHash } from 'node:crypto';
import { EmacError, type Environment, type Observation, type Step, type Task } from '@emac/core';
import { codeOfStatus } from '../wire/json-exchange.ts';
import { posted, type Connection } from '../world/post.ts';
import { toNestedPicture } from './nested-picture.ts';
import { pythonValue } from './python-literal.ts';
import { pythonText } from './python-text.ts';
import { skip } from './turns.ts';

export interface PlayedAsPublished extends Connection {
  readonly environment: Environment;
  /** commands before a game is left; null: the run decides */
  readonly maxSteps: number | null;
  /** passes over the games; null: as many as the run wants */
  readonly rounds: number | null;
  /** called for every command */
  readonly listener?: (task: Task, command: string) => void;
}

/**
 * Plays until the run has ended or every round is played. Errors: `unavailable` if nobody ever answers, `interrupted`,
 * `data`.
 */
export async function playAsPublished(played: PlayedAsPublished): Promise<void> {
  const { environment, rounds } = played;
  let wasThere = false;
  try {
    for (let round = 0; rounds === null || round < rounds; round++)
      for (const task of environment.tasks) {
        await playGame(played, task, () => (wasThere = true));
      }
  } catch (thrown) {
    // this wire has no message for the end of a run
    if (!wasThere || !(thrown instanceof EmacError) || thrown.code !== 'unavailable') throw thrown;
  }
}

async function playGame(played: PlayedAsPublished, task: Task, answered: () => void): Promise<void> {
  const { environment, maxSteps, listener } = played;
  const episode = await environment.begin(task, task.id);
  try {
    let history = episode.first.text;
    let said: Said = { observation: episode.first, history, type: folderOf(task), done: false, won: false };
    for (let steps = 0; ; steps++) {
      const command = await answerTo(played, task, said);
      answered();
      listener?.(task, command);
      if (command === skip || said.done || steps === maxSteps) return;
      const step: Step = await episode.step(command);
      history += `\n> ${command}\n${step.observation.text}`;
      const done = step.terminated || step.truncated;
      said = { observation: step.observation, history, type: '', done, won: step.info.won };
    }
  } finally {
    await episode.close();
  }
}

interface Said {
  readonly observation: Observation;
  readonly history: string;
  /** empty after an episode's first message */
  readonly type: string;
  readonly done: boolean;
  readonly won: boolean;
}

/** Errors: those of `posted`; `data` for an invalid answer. */
async function answerTo(played: PlayedAsPublished, task: Task, said: Said): Promise<string> {
  const body = Buffer.from(messageText(task, said));
  const response = await posted(played, '/', { body, headers: { MD5: md5(body) } });
  const answer = Buffer.from(await response.arrayBuffer());
  const place = `${played.url}: its answer`;
  if (!response.ok)
    throw new EmacError(
      codeOfStatus(response.status),
      `${place} has status ${response.status}; it refused a message`,
    );
  if (response.headers.get('md5') !== md5(answer))
    throw new EmacError('data', `${place} does not match its MD5; it was damaged in transit`);
  const list = pythonValue(answer.toString());
  const command = Array.isArray(list) ? (list[0] as unknown) : null;
  if (typeof command !== 'string') throw new EmacError('data', `${place} is not a list of one text`);
  return command;
}

/** A message body in the published client's form. */
export function messageText(task: Task, { observation, history, type, done, won }: Said): string {
  const { text, admissible, frames } = observation;
  const facts = [
    ...(admissible ? [`'admissible_commands': [${admissible.map(pythonText).join(', ')}]`] : []),
    `'won': ${python(won)}`,
    `'extra.gamefile': ${pythonText(fileOf(task))}`,
  ];
  const picture = frames[0] ? toNestedPicture(frames[0]) : '[]';
  const fields = [text, history, `{${facts.join(', ')}}`, type, python(done), picture];
  const tags = ['OBSERVATION', 'HISTORY', 'INFORMATION', 'TYPE', 'DONE', 'IMAGE'];
  return fields.map((field, place) => `[#${tags[place]}]${field}`).join('');
}

function python(value: boolean): string {
  return value ? 'True' : 'False';
}

/** The game's file by its id. */
function fileOf({ id }: Task): string {
  const [game, file = 'game.tw-pddl'] = id.split('@');
  return `${game}/${file}`;
}

/** The published client's task type: the name of the folder. */
function folderOf({ id, type }: Task): string {
  return id.split('/')[0] || type || 'unknown';
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
