/**
 * A run while it is being written. metrics.jsonl and checkpoints depend on seed and configuration alone; what
 * depends on the day goes to run.json and events.jsonl. DONE is written last: where it is, all is complete.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  canonicalJson,
  openJournal,
  removeTemporary,
  sha256,
  whileWriting,
  writeFileAtomic,
} from '@emac/files';
import { stringify } from 'yaml';
import { writeCheckpoint } from './checkpoint-write.ts';
import type { CheckpointContent } from './checkpoint-write.ts';
import { checkpointName, layout } from './layout.ts';
import { createRunFolder, runName } from './run-folder.ts';
import { newRecord, writeRecord } from './run-record.ts';
import type { RunRecord, RunStatus } from './run-record.ts';

export interface RunOptions {
  /** the folder in which the run's own folder is made */
  readonly out: string;
  readonly phase: string;
  readonly seed: number;
  /** the resolved configuration; no keys or other secrets */
  readonly config: object;
  readonly versions: Readonly<Record<string, string>>;
  readonly now: () => Date;
}

export interface Run {
  readonly name: string;
  readonly folder: string;
  /** paths of llm.jsonl, of the folder of replay buffers and of the folder of published log formats */
  readonly languageModelJournal: string;
  readonly buffers: string;
  readonly results: string;
  /** bytes of metrics.jsonl so far: a checkpoint's state keeps it, and a resumed run cuts back to it */
  readonly metricsLength: number;
  /** Adds a line to metrics.jsonl: no clocks, paths or ids of this run. */
  metrics(line: object): void;
  /** Adds a line to events.jsonl, with the time. */
  event(line: object): void;
  /** Writes episodes/<number>.jsonl, one object a line. */
  transcript(number: number, lines: readonly object[]): void;
  /** Keeps an encoded picture once, by its content; returns its name in frames/. */
  frame(picture: Uint8Array, extension: 'png' | 'jpg'): string;
  /** Writes a checkpoint and makes it the latest; returns its folder. */
  checkpoint(content: CheckpointContent): string;
  /** Names the checkpoint of this step the best. */
  best(step: number): void;
  /** Ends the run: eval.json if an evaluation is given, status done, DONE last. */
  finish(summary?: { readonly evaluation?: object }): void;
  /** Ends the run short of its goal; it keeps what it has. */
  stop(status: 'failed' | 'interrupted', reason: string): void;
}

/** Makes the folder of a new run and begins it. Errors: `cannot-create`, `io`. */
export function createRun({ out, phase, seed, config, versions, now }: RunOptions): Run {
  const time = now();
  const folder = createRunFolder(out, runName({ phase, seed, config, time }));
  const started = time.toISOString();
  const record = newRecord({ name: basename(folder), phase, seed, versions, started });
  for (const part of [layout.buffers, layout.episodes, layout.frames, layout.results, layout.checkpoints])
    whileWriting(folder, () => mkdirSync(join(folder, part)));
  writeFileAtomic(join(folder, layout.config), configText(config));
  writeRecord(folder, record);
  return openRun(folder, record, now);
}

/** YAML with sorted keys, so that equal configurations give equal files. */
function configText(config: object): string {
  return stringify(JSON.parse(canonicalJson(config)));
}

function openRun(folder: string, record: RunRecord, now: () => Date): Run {
  const at = (...parts: string[]) => join(folder, ...parts);
  removeTemporary(at(layout.checkpoints));
  const metrics = openJournal(at(layout.metrics));
  const events = openJournal(at(layout.events));
  const event = (line: object) => events.append({ time: now().toISOString(), ...line });
  const end = (status: RunStatus, reason?: string) => {
    event({ kind: status, ...(reason === undefined ? {} : { reason }) });
    for (const journal of [metrics, events]) {
      journal.sync();
      journal.close();
    }
    const ended = now().toISOString();
    writeRecord(folder, { ...record, status, ended, ...(reason === undefined ? {} : { reason }) });
  };
  event({ kind: 'running', pid: record.pid });
  return {
    name: record.name,
    folder,
    languageModelJournal: at(layout.languageModel),
    buffers: at(layout.buffers),
    results: at(layout.results),
    get metricsLength() {
      return metrics.length;
    },
    metrics: (line) => metrics.append(line),
    event,
    transcript(number, lines) {
      const text = lines.map((line) => `${canonicalJson(line)}\n`).join('');
      writeFileAtomic(at(layout.episodes, `${String(number).padStart(6, '0')}.jsonl`), text);
    },
    frame(picture, extension) {
      const name = `${sha256(picture)}.${extension}`;
      if (!existsSync(at(layout.frames, name))) writeFileAtomic(at(layout.frames, name), picture);
      return name;
    },
    checkpoint(content) {
      metrics.sync();
      const written = writeCheckpoint(at(layout.checkpoints), content);
      writeFileAtomic(at(layout.checkpoints, layout.latest), `${checkpointName(content.step)}\n`);
      event({ kind: 'checkpoint', step: content.step });
      return written;
    },
    best: (step) => writeFileAtomic(at(layout.checkpoints, layout.best), `${checkpointName(step)}\n`),
    finish({ evaluation } = {}) {
      if (evaluation) writeFileAtomic(at(layout.evaluation), `${canonicalJson(evaluation, 2)}\n`);
      end('done');
      writeFileAtomic(at(layout.done), '');
    },
    stop: end,
  };
}
