/** The tasks of a run: an environment's, games drawn from a client's list, or unknown games a client brings. */
import { readFileSync } from 'node:fs';
import type { HttpWorld } from '@emac/bridge';
import { EmacError, invariant, type Environment, type OpenedKind, type Task } from '@emac/core';
import { sha256, whileReading } from '@emac/files';
import type { ExpertConfig } from '@emac/settings';
import { kindEnvironment } from '../environments/kind-environment.ts';
import type { Host } from '../host.ts';
import type { PolicyForm } from '../models/policy-form.ts';

export interface RunPlay {
  /** its games as far as they are known */
  readonly tasks: () => readonly Task[];
  /** games per round if a client brings them; else null */
  readonly arriving: number | null;
  /** null for games of clients */
  readonly kind: OpenedKind | null;
  /** of the games, as they are when a run begins */
  readonly fingerprint: string;
  /** how many of the episodes that are wanted at once can be under way */
  readonly seats: (wanted: number) => number;
  /** Errors: `io`, `cannot-create`, `data`. */
  readonly open: (form: Pick<PolicyForm, 'text'>, before?: PlayedSoFar) => Promise<OpenPlay>;
}

/** The part played by an earlier process. */
export interface PlayedSoFar {
  /** a file for the case that this process is killed */
  readonly record?: string | null;
  /** finished games, if a client brings them and nothing else records which came */
  readonly games?: readonly Task[];
}

export interface OpenPlay {
  readonly environment: Environment;
  readonly close: () => void;
}

/** Tasks of an environment. A damaged file of a game fails here. Errors: `data`, `missing`, `io`. */
export function kindPlay(opened: OpenedKind, tasks: readonly Task[]): RunPlay {
  return {
    tasks: () => tasks,
    arriving: null,
    kind: opened,
    fingerprint: sha256(tasks.map((task) => fingerprint(opened, task)).join('\n')),
    seats: (wanted) => Math.min(wanted, opened.seats?.() ?? wanted),
    open: async ({ text }) => ({
      environment: { tasks, ...kindEnvironment(opened, text) },
      close: () => {},
    }),
  };
}

/** Distinguishes tasks with equal ids: generated ones by id and code, games by their files. */
function fingerprint({ fileOf }: OpenedKind, task: Task): string {
  const path = fileOf?.(task);
  return path === undefined ? task.id : `${task.id} ${sha256(whileReading(path, () => readFileSync(path)))}`;
}

export interface Remote {
  readonly world: HttpWorld;
  /** drawn; empty if a client brings them */
  readonly tasks: readonly Task[];
  readonly arriving: number | null;
}

/** Games of clients. */
export function remotePlay({ world, tasks, arriving }: Remote, { signal }: Pick<Host, 'signal'>): RunPlay {
  let known = tasks;
  return {
    tasks: () => known,
    arriving,
    kind: null,
    fingerprint:
      arriving === null
        ? sha256(tasks.map(({ id }) => id).join('\n'))
        : 'the number of games that the client brings',
    seats: (wanted) => Math.min(wanted, world.seats()),
    async open({ text }, { record: path = null, games: over = [] } = {}) {
      const { openWorldRecord } = await import('@emac/bridge');
      const record = path === null ? null : openWorldRecord(path);
      const remote = world.environment({
        tasks: arriving === null ? tasks : over,
        count: arriving ?? 0,
        pictures: text.observe !== 'text',
        ...(record && { record }),
        ...(signal && { signal }),
      });
      known = remote.tasks;
      const { tasks: listed, arrivals } = remote;
      const begin: Environment['begin'] = (task, seed) => remote.begin(task, seed);
      const seen = kindEnvironment({ begin, hasGoal: true, isReAct: true }, text);
      const environment = { tasks: listed, ...(arrivals && { arrivals }), ...seen };
      return { environment, close: () => record?.close() };
    },
  };
}

/** For settings that need all games known. Errors: `usage`. */
export function refuseArriving({ arriving }: RunPlay, setting: string, why: string): void {
  if (arriving !== null) throw new EmacError('usage', `${setting}: a client of the published wire ${why}`);
}

/** Errors: `usage` for the expert that needs the files of the games. */
export function refusePlanner({ kind }: Pick<ExpertConfig, 'kind'>): void {
  if (kind === 'planner')
    throw new EmacError(
      'usage',
      '--expert planner: reads game files, but --world http has none; give handcoded or openai',
    );
}

/** The first tasks of an environment. */
export function firstTasksOf({ kind, tasks }: RunPlay, count: number): RunPlay {
  invariant(kind, 'firstTasksOf: clients decide their games');
  return kindPlay(kind, tasks().slice(0, count));
}

/** Commands of a shortest win of each task; one if nothing is known of it. */
export function shortestOf({ tasks, kind }: Pick<RunPlay, 'tasks' | 'kind'>): readonly number[] {
  return tasks().map((task) => kind?.shortest?.(task) ?? 1);
}
