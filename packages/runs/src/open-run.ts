/**
 * A run open for writing. metrics.jsonl and checkpoints depend on seed and configuration only; dates and machines go to
 * run.json and events.jsonl. DONE is written last: if it exists, the run is complete.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, createFolder, failpoint, openJournal, sha256, writeFileAtomic } from '@emac/files';
import { keepLast, writeMoment, type GrowingFile } from './checkpoint-folders.ts';
import { storedRoundEnds } from './checkpoint-list.ts';
import { endsRound } from './checkpoint-moment.ts';
import type { CheckpointContent } from './checkpoint-write.ts';
import { layout } from './layout.ts';
import type { RunLock } from './lock.ts';
import type { ResumePoint } from './resume-point.ts';
import { writeRecord, type RunRecord, type RunStatus } from './run-record.ts';
import { nextStanding, noStanding, type Moment, type Standing } from './standing.ts';

export interface Run {
  readonly name: string;
  readonly folder: string;
  /** paths of llm.jsonl, of the folder of replay buffers and of the folder of published log formats */
  readonly languageModelJournal: string;
  readonly buffers: string;
  readonly results: string;
  /** Adds a line to metrics.jsonl: no clocks, paths or ids of this run. */
  metrics(line: object): void;
  /** Adds a line to events.jsonl, with the time. */
  event(line: object): void;
  /** Writes episodes/<number>.jsonl, one object a line. */
  transcript(number: number, lines: readonly object[]): void;
  /** Writes attempts/<update>.jsonl, one object a line: an attempt at a task, and what its steps were credited with. */
  attempt(update: number, lines: readonly object[]): void;
  /** Keeps an encoded picture once, by its content; returns its name in frames/. */
  frame(picture: Uint8Array, extension: 'png' | 'jpg'): string;
  /** From now on checkpoints also hold length and hash of this file, by its name in the run folder. */
  holds(name: string, file: GrowingFile): void;
  /** From now on this file is on disk before a checkpoint is: it holds what no checkpoint has. */
  syncs(file: Pick<GrowingFile, 'sync'>): void;
  /** Writes a checkpoint, makes it the latest, and removes those that are no longer kept; returns its folder. */
  checkpoint(content: CheckpointContent, moment?: Moment): string;
  /**
   * Ends the run: writes eval.json for an evaluation, keeps only the last checkpoint if asked, sets status done, and
   * writes DONE last.
   */
  finish(summary?: RunSummary): void;
  /** Ends the run early; it keeps its files. */
  stop(status: 'failed' | 'interrupted', reason: string): void;
}

export interface RunSummary {
  readonly evaluation?: object;
  readonly onlyLast?: boolean;
  /** why training stopped before its last update */
  readonly reason?: string;
}

interface Opening {
  readonly folder: string;
  readonly record: RunRecord;
  readonly lock: RunLock;
  readonly point: ResumePoint | null;
  readonly keep: number | null;
  readonly now: () => Date;
}

/** milliseconds between two events that say when how many lines of metrics were there: those between are interpolated */
const timeEvery = 1000;

/** Opens the files of a run that this process holds. */
export function openRun({ folder, record, lock, point, keep, now }: Opening): Run {
  const at = (...parts: string[]) => join(folder, ...parts);
  const metrics = openJournal(at(layout.metrics), {
    keep: point?.run.files[layout.metrics] ?? { length: 0 },
  });
  const events = openJournal(at(layout.events));
  const files = new Map<string, GrowingFile>([[layout.metrics, metrics]]);
  const synced: Pick<GrowingFile, 'sync'>[] = [];
  let standing: Standing = point ? { kept: point.run.kept, best: point.run.best } : noStanding;
  const roundEnds = storedRoundEnds(at(layout.checkpoints), standing.kept);
  const event = (line: object) => events.append({ time: now().toISOString(), ...line });
  let timed = { lines: metrics.lines, at: -Infinity };
  /** time of the last line, in milliseconds */
  let last = -Infinity;
  const time = (at: number) => {
    if (metrics.lines === timed.lines) return;
    event({ time: new Date(at).toISOString(), kind: 'metrics', lines: metrics.lines });
    timed = { lines: metrics.lines, at };
  };
  const end = (status: RunStatus, reason?: string) => {
    time(last);
    event({ kind: status, ...(reason === undefined ? {} : { reason }) });
    for (const journal of [metrics, events]) {
      journal.sync();
      journal.close();
    }
    const ended = now().toISOString();
    writeRecord(folder, { ...record, status, ended, ...(reason === undefined ? {} : { reason }) });
  };
  event({ kind: 'running', pid: record.pid, ...(point ? { from: point.step } : {}) });
  return {
    name: record.name,
    folder,
    languageModelJournal: at(layout.languageModel),
    buffers: at(layout.buffers),
    results: at(layout.results),
    metrics(line) {
      const at = now().getTime();
      // otherwise lines before a pause would be spread over it
      if (at - last >= timeEvery) time(last);
      metrics.append(line);
      last = at;
      if (at - timed.at >= timeEvery) time(at);
    },
    event,
    ...transcriptsIn(folder),
    attempt: (update, lines) => writeLines(at(layout.attempts), update, lines),
    holds: (name, file) => void files.set(name, file),
    syncs: (file) => void synced.push(file),
    checkpoint(content, moment = {}) {
      lock.check();
      if (endsRound(content.state)) roundEnds.add(content.step);
      const isRoundEnd = (step: number) => roundEnds.has(step);
      const next = nextStanding(standing, { ...moment, step: content.step, keep, isRoundEnd });
      for (const file of synced) file.sync();
      const written = writeMoment(at(layout.checkpoints), content, { standing: next, files });
      standing = next;
      event({ kind: 'checkpoint', step: content.step });
      return written;
    },
    finish({ evaluation, onlyLast = false, reason } = {}) {
      if (evaluation) writeFileAtomic(at(layout.evaluation), `${canonicalJson(evaluation, 2)}\n`);
      failpoint('run-evaluated');
      if (onlyLast) keepLast(at(layout.checkpoints));
      end('done', reason);
      failpoint('run-recorded');
      writeFileAtomic(at(layout.done), '');
      failpoint('run-done');
      lock.release();
    },
    stop(status, reason) {
      try {
        end(status, reason);
      } finally {
        lock.release();
      }
    },
  };
}

/** Transcripts of a run or evaluation, and each picture once. */
export function transcriptsIn(folder: string): Pick<Run, 'transcript' | 'frame'> {
  return {
    transcript: (number, lines) => writeLines(join(folder, layout.episodes), number, lines),
    frame(picture, extension) {
      const name = `${sha256(picture)}.${extension}`;
      const path = join(folder, layout.frames, name);
      if (existsSync(path)) return name;
      createFolder(join(folder, layout.frames));
      writeFileAtomic(path, picture);
      return name;
    },
  };
}

/** `<folder>/<six digits>.jsonl`, replaced atomically. */
function writeLines(folder: string, number: number, lines: readonly object[]): void {
  const text = lines.map((line) => `${canonicalJson(line)}\n`).join('');
  createFolder(folder);
  writeFileAtomic(join(folder, `${String(number).padStart(6, '0')}.jsonl`), text);
}
