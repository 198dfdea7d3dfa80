/** Trains in the tab: the same call as a program's in Node, with the tab's disk and its clock. */
import * as ort from 'onnxruntime-web/wasm';
import { EmacError, messageOf } from '@emac/core';
import { collectEnvironment } from '@emac/datasets';
import { learn, resume } from '@emac/experiment';
import { createFolder } from '@emac/files';
import { providerFault } from '@emac/graph';
import { both, type Host } from '@emac/opening';
import { processorCores } from '@emac/platform';
import { compactTabDisk, tabDisk } from '@emac/platform/tab';
import { readConfig } from '@emac/runs';
import { ownEnvironment } from '../page/catalogue.ts';
import { fillModels } from './files.ts';
import type { Asked, Collecting, FromTrainer, PageOrder, ToTrainer } from './messages.ts';
import { codeIn, environmentIn, isOwn, keepingCode } from './own-environment.ts';
import { askedFor, keepGiven } from './given.ts';
import { newestEpisode } from './newest-episode.ts';
import { beginGame, closeGame, ordered } from './tab-game.ts';
import { filesBelow, headOf, importRuns, linesFrom, removeRun, tabRuns } from './tab-runs.ts';
import { beginTeaching, toldTeaching } from './tab-teaching.ts';

export { tabRuns };

type Say = (message: FromTrainer) => void;

// beside the trainer's code
ort.env.wasm.wasmPaths = new URL('./', location.href).href;
ort.env.wasm.numThreads = processorCores();
createFolder('/tmp');

let stopping = new AbortController();

let checked: Promise<string | null> | undefined;

const gpuFault = (): Promise<string | null> => (checked ??= providerFault('webgpu'));

/** What a run computes on, in words. Errors: `unavailable` for a GPU that does not compute as the processor does. */
async function deviceOf(config: unknown): Promise<string> {
  const { model } = (config ?? {}) as { readonly model?: { readonly provider?: unknown } };
  if (model?.provider !== 'webgpu') {
    const threads = crossOriginIsolated ? processorCores() : 1;
    return `processor, ${threads} thread${threads === 1 ? '' : 's'}`;
  }
  const fault = await gpuFault();
  if (fault !== null) throw new EmacError('unavailable', fault);
  return 'GPU';
}

type Answers = {
  readonly [Kind in ToTrainer['kind']]: (
    message: Extract<ToTrainer, { kind: Kind }>,
    say: Say,
  ) => void | Promise<void>;
};

const answers: Answers = {
  stop: () => stopping.abort(),
  train: ({ asked, collecting, code }, say) =>
    trained(say, runSettings(asked), async (host) => {
      const own = asked.environment === ownEnvironment ? await environmentIn(code) : {};
      if (collecting !== null) await collected(collecting, { ...host, ...own });
      return learn(asked, keepingCode({ ...host, ...own }, code));
    }),
  resume: ({ folder, code: onPage }, say) =>
    trained(say, readConfig(folder), async (host) => {
      const code = codeIn(folder) ?? onPage;
      const own = isOwn(folder) ? await environmentIn(code) : {};
      // numbers that were computed elsewhere differ in their last digits
      return resume(folder, { ...keepingCode({ ...host, ...own }, code), allowDrift: true });
    }),
  'learn-given': ({ folder, what, code: onPage }, say) =>
    trained(say, runSettings(askedFor(folder, what)), async (host) => {
      const code = codeIn(folder) ?? onPage;
      const own = isOwn(folder) ? await environmentIn(code) : {};
      return learn(askedFor(folder, what), keepingCode({ ...host, ...own }, code));
    }),
  files: ({ folder }, say) => say({ kind: 'files', folder, files: filesBelow(folder) }),
  show: ({ folder }, say) => showRun(folder, say),
  import: ({ name, files }, say) => showRun(importRuns(name, files), say),
  'check-gpu': async (_, say) => say({ kind: 'gpu', fault: await gpuFault() }),
  async remove({ folder }) {
    await closeGame();
    await removeRun(folder);
  },
  async 'open-game'({ folder, code }, say) {
    const own = isOwn(folder) ? await environmentIn(codeIn(folder) ?? code) : {};
    await fillModels(readConfig(folder));
    const given = keepGiven(folder, (count) => say({ kind: 'given', count }));
    await beginGame(folder, given, { now: () => Date.now(), env: {}, ...own });
    say({ kind: 'game', folder });
  },
  order: async ({ number, ...order }, say) => say({ kind: 'answer', number, answer: await answered(order) }),
};

/** Settings of a run, with those of the one that it begins from. */
function runSettings({ policy, settings }: Asked): object {
  const from = policy?.startsWith('/') ? { from: readConfig(policy) } : { policy };
  return { ...settings, ...from };
}

/** A dataset that is whole is not made again. */
async function collected(collecting: Collecting, host: Host): Promise<void> {
  if (!tabDisk.existsSync(collecting.out)) await collectEnvironment(collecting, host);
}

/** what changes no run */
const unchanging = new Set<ToTrainer['kind']>(['stop', 'show', 'files', 'order', 'open-game', 'check-gpu']);

/** Answers what the page asks. */
export async function answer(message: ToTrainer, say: Say): Promise<void> {
  try {
    await (answers[message.kind] as (message: ToTrainer, say: Say) => void | Promise<void>)(message, say);
  } catch (error) {
    say({ kind: 'refused', message: messageOf(error) });
  }
  if (!unchanging.has(message.kind)) say({ kind: 'runs', runs: tabRuns() });
}

async function answered({ to, order }: PageOrder) {
  try {
    return await (to === 'game' ? ordered(order) : toldTeaching(order));
  } catch (thrown) {
    return { fault: messageOf(thrown) };
  }
}

function showRun(folder: string, say: Say): void {
  say({ kind: 'run', folder });
  say({ kind: 'metrics', lines: linesFrom(folder, 0).lines });
  say({ kind: 'view', view: headOf(folder) });
  const episode = newestEpisode(folder, null);
  if (episode) say({ kind: 'episode', ...episode });
}

async function trained(say: Say, config: unknown, work: (host: Host) => Promise<unknown>): Promise<void> {
  stopping = new AbortController();
  const { signal } = stopping;
  const start = performance.now();
  const teller = tellerOf(say);
  const { person, listener, end } = beginTeaching(() => say({ kind: 'teaching' }));
  try {
    await closeGame();
    const on = await deviceOf(config);
    await fillModels(config);
    const told = both(listener, teller.listener);
    await work({ now: () => Date.now(), env: {}, signal, person, films: true, listener: told });
    say({ kind: 'finished', seconds: (performance.now() - start) / 1000, on });
  } catch (error) {
    const isStop = signal.aborted && error instanceof EmacError;
    say(isStop ? { kind: 'stopped' } : { kind: 'failed', message: messageOf(error) });
  }
  end();
  teller.tell();
  await compactTabDisk();
}

/** Tells the page what a run does. */
function tellerOf(say: Say): {
  readonly listener: NonNullable<Host['listener']>;
  tell(): void;
} {
  let [part, done, total, folder, read] = ['', 0, 0, '', 0];
  let filmed: string | null = null;
  const newFilm = (): void => {
    const episode = folder === '' ? null : newestEpisode(folder, filmed);
    if (!episode) return;
    filmed = episode.path;
    say({ kind: 'episode', ...episode });
  };
  const newLines = (): void => {
    if (folder === '') return;
    const { lines, end } = linesFrom(folder, read);
    read = end;
    if (lines.length > 0) say({ kind: 'metrics', lines });
  };
  const tell = (): void => {
    newLines();
    newFilm();
    if (folder !== '') say({ kind: 'view', view: headOf(folder) });
  };
  return {
    tell,
    listener: {
      note: (text) => say({ kind: 'note', text }),
      run(started) {
        [folder, read, filmed] = [started, 0, null];
        say({ kind: 'run', folder });
        say({ kind: 'runs', runs: tabRuns() });
        tell();
      },
      begin(name, count, { done: before = 0 } = {}) {
        [part, total, done] = [name, count, before];
        say({ kind: 'progress', part, done, total });
      },
      advance() {
        done++;
        newLines();
        newFilm();
        say({ kind: 'progress', part, done, total });
      },
      end: tell,
      training: newLines,
      reinforced: newLines,
    },
  };
}
