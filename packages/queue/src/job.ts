/**
 * One job: the work to do, and the name under which its result counts. Delivery is at least once, so a job may run
 * twice; its name identifies it.
 */
import { EmacError } from '@emac/core';
import { encodeJson, type Json } from './json.ts';

/** Equal names mean the same job: its handler must give equal results for them. */
export interface JobName {
  /** its handler's kind, such as `rollout` or `gradient` */
  readonly kind: string;
  readonly run: string;
  /** version of the policy used (a step or a content hash) */
  readonly policy: string;
  readonly task: string;
  readonly seed: number;
  /** index among a fixed number of logical parts; 0 if there is one */
  readonly shard: number;
}

export interface Job {
  readonly name: JobName;
  /** the handler's input besides the name: small JSON without keys or tokens; large data by content hash */
  readonly input: Json;
}

/**
 * The name as one text without colons, readable, and different for different names. Errors: `usage` for an invalid
 * name.
 */
export function jobId(name: JobName): string {
  const { kind, run, policy, task, seed, shard } = name;
  for (const [field, text] of Object.entries({ kind, run, policy, task }))
    if (text === '') throw new EmacError('usage', `job: its ${field} must not be empty; give a text`);
  for (const [field, number] of Object.entries({ seed, shard }))
    if (!Number.isSafeInteger(number))
      throw new EmacError('usage', `job: its ${field} must be a whole number, got ${number}; give one`);
  return [kind, run, policy, task, seed, shard].map((part) => encodeURIComponent(part)).join('/');
}

/** The run that a job of this id belongs to; empty for a text that is no id. */
export function runOf(id: string): string {
  try {
    return decodeURIComponent(id.split('/')[1] ?? '');
  } catch {
    return '';
  }
}

/** Whether a value from outside is the job of this id. */
export function isJob(value: unknown, id: string): value is Job {
  const { name, input } = (value ?? {}) as Partial<Job>;
  if (typeof name !== 'object' || name === null || input === undefined) return false;
  const { kind, run, policy, task } = name;
  if ([kind, run, policy, task].some((part) => typeof part !== 'string')) return false;
  try {
    return jobId(name) === id;
  } catch {
    return false;
  }
}

/** A job's name in words, for messages. */
export function describeJob({ kind, run, policy, task, seed, shard }: JobName): string {
  return `${kind} of run ${run}, policy ${policy}, task ${task}, seed ${seed}, shard ${shard}`;
}

/** Throws `usage` for a bad name, or an input that is too large. */
export function checkJob(job: Job): void {
  jobId(job.name);
  encodeJson(job.input, `input of ${describeJob(job.name)}`);
}
