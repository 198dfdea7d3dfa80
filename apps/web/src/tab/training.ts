/** Trains in the tab: the same call as a program's in Node, with the tab's disk and its clock. */
import { join } from 'pathe';
import * as ort from 'onnxruntime-web/wasm';
import { EmacError, messageOf } from '@emac/core';
import { learn } from '@emac/experiment';
import { createFolder } from '@emac/files';
import type { Host } from '@emac/opening';
import { processorCores } from '@emac/platform';
import { tabDisk } from '@emac/platform/tab';
import type { Asked, FromTrainer, ToTrainer } from './messages.ts';

type Say = (message: FromTrainer) => void;

// beside the trainer's code
ort.env.wasm.wasmPaths = new URL('./', location.href).href;
ort.env.wasm.numThreads = processorCores();
createFolder('/tmp');

let stopping = new AbortController();

/** Answers what the page asks. */
export async function answer(message: ToTrainer, say: Say): Promise<void> {
  if (message.kind === 'stop') stopping.abort();
  else if (message.kind === 'files') say({ kind: 'files', files: filesBelow(message.folder, '') });
  else await trained(message.asked, say);
}

async function trained(asked: Asked, say: Say): Promise<void> {
  stopping = new AbortController();
  const start = performance.now();
  try {
    const { folder, before, after } = await learn(asked, hostOf(say, stopping.signal));
    const [won, wonAfter] = [before?.success ?? null, after?.success ?? null];
    say({
      kind: 'finished',
      folder,
      before: won,
      after: wonAfter,
      seconds: (performance.now() - start) / 1000,
    });
  } catch (error) {
    const isStop = stopping.signal.aborted && error instanceof EmacError;
    say(isStop ? { kind: 'stopped' } : { kind: 'failed', message: messageOf(error) });
  }
}

function hostOf(say: Say, signal: AbortSignal): Host {
  let [part, done, total, folder, read] = ['', 0, 0, '', 0];
  /** says the lines that the run has written since the last time */
  const newLines = (): void => {
    const path = join(folder, 'metrics.jsonl');
    if (folder === '' || !tabDisk.existsSync(path)) return;
    const text = tabDisk.readFileSync(path, 'utf8') as string;
    const end = text.lastIndexOf('\n') + 1;
    for (const line of text.slice(read, end).split('\n').slice(0, -1))
      say({ kind: 'metrics', line: JSON.parse(line) as Record<string, unknown> });
    read = end;
  };
  return {
    now: () => Date.now(),
    env: {},
    signal,
    listener: {
      note: (text) => say({ kind: 'note', text }),
      run(started) {
        [folder, read] = [started, 0];
        say({ kind: 'run', folder });
        newLines();
      },
      begin(name, count, { done: before = 0 } = {}) {
        [part, total, done] = [name, count, before];
        say({ kind: 'progress', part, done, total });
      },
      advance() {
        done++;
        newLines();
        say({ kind: 'progress', part, done, total });
      },
      end: newLines,
      training: newLines,
      reinforced: newLines,
    },
  };
}

function filesBelow(folder: string, path: string): { readonly path: string; readonly bytes: Uint8Array }[] {
  return tabDisk.readdirSync(join(folder, path)).flatMap((name) => {
    const below = join(path, String(name));
    const whole = join(folder, below);
    if (tabDisk.statSync(whole)!.isDirectory()) return filesBelow(folder, below);
    return [{ path: below, bytes: tabDisk.readFileSync(whole) as Uint8Array }];
  });
}
