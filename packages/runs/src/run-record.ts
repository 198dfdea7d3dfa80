/**
 * run.json: identity and status of a run. Clocks, paths, process and host appear only here and in events.jsonl, so
 * everything else depends on seed and configuration only.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { EmacError, messageOf } from '@emac/core';
import { canonicalJson, sha256, whileReading, writeFileAtomic } from '@emac/files';
import { parse } from 'yaml';
import { underNamesToday } from './earlier-names.ts';
import { layout } from './layout.ts';

export type RunStatus = 'running' | 'done' | 'failed' | 'interrupted';

export interface RunRecord {
  readonly v: 1;
  readonly name: string;
  readonly status: RunStatus;
  readonly phase: string;
  /** its name among the methods where that says more than the phase, e.g. `gigpo` */
  readonly method?: string;
  /** the name that a person gave it */
  readonly title?: string;
  readonly seed: number;
  /** SHA-256 of the configuration */
  readonly config: string;
  /** packages, code hash, backends in use … */
  readonly versions: Readonly<Record<string, string>>;
  /** name of the run that this one follows, in the same folder */
  readonly previous?: string;
  /** working directory of the command that began it: relative paths in the configuration start there */
  readonly workingDirectory: string;
  readonly pid: number;
  readonly host: string;
  /** ISO 8601, UTC */
  readonly started: string;
  readonly ended?: string;
  /** why it failed, was stopped, or is done before its last update */
  readonly reason?: string;
}

/** The record of a run that begins now. */
export function newRecord(
  fields: Pick<
    RunRecord,
    'name' | 'phase' | 'method' | 'title' | 'seed' | 'config' | 'versions' | 'previous' | 'started'
  >,
): RunRecord {
  return {
    v: 1,
    status: 'running',
    workingDirectory: process.cwd(),
    pid: process.pid,
    host: hostname(),
    ...fields,
  };
}

/** The record of a run resumed in this process. */
export function continuedRecord({ ended: _ended, reason: _reason, ...record }: RunRecord): RunRecord {
  return { ...record, status: 'running', pid: process.pid, host: hostname() };
}

/** Replaces a folder's run.json. */
export function writeRecord(folder: string, record: RunRecord): void {
  writeFileAtomic(join(folder, layout.run), `${canonicalJson(record, 2)}\n`);
}

/** Reads a folder's run.json; `missing` if there is none, `data` if it is damaged. */
export function readRecord(folder: string): RunRecord {
  const path = join(folder, layout.run);
  const text = whileReading(path, () => readFileSync(path, 'utf8'));
  try {
    const record = JSON.parse(text) as RunRecord;
    if (record.v !== 1) throw new Error(`version ${String(record.v)} instead of 1`);
    return record;
  } catch (thrown) {
    throw new EmacError('data', `${path}: is damaged: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** A run's settings in config.yaml, under today's names. Errors: `missing`, `config` if it was changed since. */
export function readConfig(folder: string): unknown {
  const path = join(folder, layout.config);
  const text = whileReading(path, () => readFileSync(path, 'utf8'));
  const { config } = readRecord(folder);
  try {
    const value: unknown = parse(text);
    if (configHash(value) !== config) throw new Error('the run started with other content');
    return typeof value === 'object' && value !== null ? underNamesToday(value) : value;
  } catch (thrown) {
    throw new EmacError(
      'config',
      `${path}: does not match run.json: ${messageOf(thrown)}; put it back, or start a new run`,
      { cause: thrown },
    );
  }
}

export function configHash(config: unknown): string {
  return sha256(canonicalJson(config));
}
