/**
 * The interface between the framework and a command or program around it: clock, environment, stop signal, listener.
 */
import type {
  GrpoLine,
  LabelMethod,
  MetricsLine,
  OfflineEvent,
  PpoLine,
  ProgressEvent,
} from '@emac/algorithms';
import type { HttpWorld } from '@emac/bridge';
import { EmacError } from '@emac/core';
import type { ExpertEvent } from '@emac/expert';
import type { WorldConfig } from '@emac/settings';
import type { GivenEnvironment } from './environments/environment-module.ts';
import type { EvaluatedGame, RolloutEvent } from '@emac/rollout';
import type { JobQueue, SharedFolder } from '@emac/queue';
import type { GivenExpert } from './experts/expert-module.ts';
import type { GivenReward } from './rewards/reward-module.ts';
import type { MemoryLimit } from './memory-limit.ts';
import type { Person } from './players/person.ts';
import type { Trial } from './trial.ts';

/** Receives progress; every part is optional. */
export interface Listener {
  /** a sentence for people */
  note?(line: string): void;
  /** a warning: something is lost or skipped; without it `note` gets the text */
  warning?(line: string): void;
  /** a run starts or resumes in this folder, which has its metrics so far */
  run?(folder: string): void;
  /** a part of `total` games, or other things, begins; some may be done already */
  begin?(part: string, total: number, start?: { readonly done?: number; readonly noun?: string }): void;
  /** one more of them is done: a game, or something else that has no id */
  advance?(id?: string): void;
  /** nothing more follows for now */
  end?(): void;
  /** a step of a game that is evaluated, collected or shown by the expert; counted from 1 */
  step?(game: { readonly id: string; readonly step: number }): void;
  /** an evaluated or collected game */
  game?(game: EvaluatedGame): void;
  training?(event: ProgressEvent): void;
  offline?(event: OfflineEvent): void;
  /** an update of reinforcement learning is over */
  reinforced?(line: PpoLine | GrpoLine): void;
  /** an answer and its reward, after its update */
  answered?(answer: RewardedAnswer): void;
  /** expert events besides labels */
  expert?(event: ExpertEvent): void;
}

/** Two listeners as one. */
export function both(first: Listener, second: Listener): Listener {
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])] as (keyof Listener)[];
  const heard = names.map((name) => [
    name,
    (...told: unknown[]) => {
      for (const each of [first, second])
        (each[name] as ((...told: unknown[]) => void) | undefined)?.(...told);
    },
  ]);
  return Object.fromEntries(heard) as Listener;
}

/** An answer in training, and its reward. */
export interface RewardedAnswer {
  readonly update: number;
  /** the sum */
  readonly reward: number;
  /** by name */
  readonly rewards: Readonly<Record<string, number>>;
  readonly content: string;
  /** the right answer */
  readonly solution: string;
}

/** A method of a program that learns from labels or pairs, in place of a built-in one. */
export interface GivenMethod {
  /** as the configuration records it */
  readonly name: string;
  /** of its code, which must be the same on resume */
  readonly sha256: string;
  readonly method: LabelMethod;
}

export interface Host {
  /** milliseconds since 1970 */
  readonly now: () => number;
  /** environment variables: the key of a language model, the cache folder */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  /** the name of new runs for people, kept in run.json */
  readonly title?: string;
  readonly listener?: Listener;
  /** the custom expert if the configuration says `module` */
  readonly expert?: GivenExpert;
  /** the custom environment if the configuration names a module */
  readonly environment?: GivenEnvironment;
  /** the custom reward if the configuration names a file */
  readonly reward?: GivenReward;
  /** the custom method if the configuration names one */
  readonly method?: GivenMethod;
  /** worlds that clients connect to, kept open over several calls; without it each call opens and closes its own */
  readonly worlds?: RemoteWorlds;
  /** evaluations of runs keep their first episode with pictures, in `evaluated/`; those that workers play do not */
  readonly films?: boolean;
  /** other processes that play the episodes of training and evaluation, and compute gradients in shards; without them this one does */
  readonly workers?: Workers | undefined;
  /** plays as the policy `human` */
  readonly person?: Person;
  /** of the process; without it caches keep their usual sizes */
  readonly memory?: MemoryLimit;
  /** the work is the trial of a dry run: a copy of a model that is not in the cache folder yet is not written there either */
  readonly trial?: Trial;
}

/** The queue for other processes, and the folder for large data. */
export interface Workers {
  readonly queue: JobQueue;
  /** the same folder for producers and workers */
  readonly folder: SharedFolder;
}

/** A host without listener: the process's clock and environment. */
export function plainHost(options: Pick<Host, 'signal' | 'listener'> = {}): Host {
  // eslint-disable-next-line no-restricted-properties -- programs that pass no host have this one clock
  return { now: () => Date.now(), env: process.env, ...options };
}

/** Worlds that clients connect to, opened when they are first needed. */
export interface RemoteWorlds {
  /** Opens a port, or returns the open one. Errors: `cannot-create`, `usage`. */
  open(config: WorldConfig, host: Host): Promise<HttpWorld>;
  close(): Promise<void>;
}

/** Reports the steps of games played without training. */
export function tellSteps(listener: Listener | undefined): (event: RolloutEvent) => void {
  return (event) => {
    if (event.kind === 'step') listener?.step?.({ id: event.task.id, step: event.index + 1 });
  };
}

/** Reports a warning. */
export function warn(listener: Listener | undefined, line: string): void {
  if (listener?.warning) listener.warning(line);
  else listener?.note?.(line);
}

/** Throws `interrupted` once the signal has fired. */
export function stopIfAsked(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new EmacError('interrupted', 'stopped on request');
}

/** Milliseconds that each part took, in order; parts of one name add up. */
export interface Times {
  part<T>(name: string, work: () => Promise<T>): Promise<T>;
  readonly spent: ReadonlyMap<string, number>;
}

/** A stopwatch over a clock in milliseconds. */
export function timesOf(now: () => number): Times {
  const spent = new Map<string, number>();
  return {
    spent,
    async part(name, work) {
      const start = now();
      try {
        return await work();
      } finally {
        spent.set(name, (spent.get(name) ?? 0) + now() - start);
      }
    },
  };
}

export type { MetricsLine };
