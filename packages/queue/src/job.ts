/**
 * One job: what is to be done, and the name under which its result counts. Delivery is at least once, so the same job may
 * be done twice; the name says that it is the same.
 */
import { EmacError } from '@emac/core';
import { encodeJson, type Json } from './json.ts';

/** Equal names, same job: its handler has to give equal results for them. */
export interface JobName {
  /** which handler does it, such as `rollout` or `gradient` */
  readonly kind: string;
  readonly run: string;
  /** version of the policy (a step or a content hash) that it is done with */
  readonly policy: string;
  readonly task: string;
  readonly seed: number;
  /** which of a fixed number of logical parts; 0 where there is one */
  readonly shard: number;
}

export interface Job {
  readonly name: JobName;
  /** what the handler needs beside the name: small JSON without keys or tokens; large data by content hash */
  readonly input: Json;
}

/** The name as one text without colons, readable, and different for different names. Errors: `usage` for a name that is none. */
export function jobId(name: JobName): string {
  const { kind, run, policy, task, seed, shard } = name;
  for (const [field, text] of Object.entries({ kind, run, policy, task }))
    if (text === '') throw new EmacError('usage', `job: its ${field} must be a text, it is empty; give one`);
  for (const [field, number] of Object.entries({ seed, shard }))
    if (!Number.isSafeInteger(number))
      throw new EmacError('usage', `job: its ${field} must be a whole number, got ${number}; give one`);
  return [kind, run, policy, task, seed, shard].map((part) => encodeURIComponent(part)).join('/');
}

/** The run that a job of this id belongs to. */
export function runOf(id: string): string {
  return decodeURIComponent(id.split('/')[1] ?? '');
}

/** A job's name in words, for messages. */
export function describeJob({ kind, run, policy, task, seed, shard }: JobName): string {
  return `${kind} of run ${run}, policy ${policy}, task ${task}, seed ${seed}, shard ${shard}`;
}

/** Throws `usage` for a job that may not be put: a bad name, or an input that is too large. */
export function checkJob(job: Job): void {
  jobId(job.name);
  encodeJson(job.input, `input of ${describeJob(job.name)}`);
}
