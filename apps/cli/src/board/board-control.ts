/** What a page of the board may change: it starts, stops and resumes runs, with a record of every action. */
import { appendFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EmacError, messageOf } from '@emac/core';
import { createFolder } from '@emac/files';
import type { AskedCommand } from '@emac/pages';
import { resultFolder, type Control } from '@emac/report';
import { lockRun } from '@emac/runs';
import { parseCommandLine } from '../commands/command-line.ts';
import { withoutMethod } from '../commands/methods.ts';
import { askRunToStop } from '../commands/training/stop.ts';
import { trainCommand, trainingMethod } from '../commands/training/train.ts';
import { settingWords, type NamedCommand } from '../calling/command.ts';
import { commandText } from '../run-notes/command-text.ts';
import { say, type Io } from '../terminal/io.ts';
import { version } from '../version.ts';
import { askedWords } from './asked-words.ts';
import { commandQueue } from './command-queue.ts';
import { refusalLimit } from './refusal-limit.ts';
import { startForm } from './start-form.ts';

export interface BoardControl extends Control {
  /** Starts what waits; before, the board must be where pages find it. */
  begin(): void;
  close(): void;
}

export interface ControlOptions {
  readonly folder: string;
  readonly token: string;
  readonly io: Io;
}

/** folder in that of the runs, for the queue and the record of actions */
const place = '.board';

/** Errors: `cannot-create` if another board controls the folder; `io`. */
export function boardControl({ folder: given, token, io }: ControlOptions): BoardControl {
  // what is asked for here may start from another working directory
  const folder = resolve(given);
  const own = join(folder, place);
  createFolder(own);
  const lock = lockRun(own, 'board with --allow-changes');
  const now = () => new Date(io.now());
  const queue = commandQueue({ folder, place: own, directory: resolve('.'), env: io.env, now });
  const asked = new Set<string>();
  const refusal = refusalLimit();
  const folderOf = (name: string) => {
    const found = resultFolder(folder, name);
    if (found?.kind !== 'run') throw new EmacError('missing', `${name}: is no run of this board`);
    return found.folder;
  };
  const wordsOf = (asked: AskedCommand) => askedWords(asked, { out: folder, folderOf });
  const textOf = (words: readonly string[]) => `npx ${commandText(words, io.env).trim()}`;
  return {
    token,
    form: (subject) => Promise.resolve(startForm(subject)),
    async preview(asked) {
      const words = wordsOf(asked);
      return { command: textOf(words), refusal: await refusalOf(words, io) };
    },
    async start(asked) {
      const words = wordsOf(asked);
      const refusal = await refusalOf(words, io);
      if (refusal !== null) throw new EmacError('usage', refusal);
      return queue.add({ words, text: textOf(words), run: asked.kind === 'resume' ? asked.run : null });
    },
    commands: () => queue.list(),
    stopCommand: (id) => queue.stop(id),
    stopRun(run) {
      const queued = queue
        .list()
        .find(({ state, run: name }) => state === 'running' && name !== null && join(folder, name) === run);
      if (queued) queue.stop(queued.id);
      else askRunToStop(run, now(), asked);
    },
    get version() {
      return queue.version;
    },
    begin: () => queue.begin(),
    record(action, detail) {
      const limited = action === 'refused' ? refusal(io.now()) : {};
      if (limited === null) return;
      const line = JSON.stringify({ time: now().toISOString(), action, ...detail, ...limited });
      say(io.stderr, `board: ${line}`);
      try {
        appendFileSync(join(own, 'actions.jsonl'), `${line}\n`);
      } catch (thrown) {
        // what was started runs, so its answer must not say otherwise
        say(io.stderr, `board: this action is recorded here alone: ${messageOf(thrown)}`);
      }
    },
    close() {
      queue.close();
      lock.release();
    },
  };
}

const train: NamedCommand = {
  name: 'train',
  summary: '',
  argument: settingWords,
  load: (argv) => Promise.resolve(trainCommand(argv)),
};

/** What the command would refuse before it begins a run; null if nothing. */
async function refusalOf(words: readonly string[], io: Io): Promise<string | null> {
  try {
    const parsed = await parseCommandLine(words, { commands: [train], version, width: 100 });
    if (parsed.kind !== 'command' || words.includes('--resume')) return null;
    const method = trainingMethod(withoutMethod(words));
    method.plan({ values: parsed.values, words: parsed.words, env: io.env }, io).config();
    return null;
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    return messageOf(thrown);
  }
}
