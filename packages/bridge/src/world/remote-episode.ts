/**
 * An episode played by a client. If the client is gone, another one (or the same, returned) restarts the game and
 * repeats the commands, so the policy does not notice. Its observations must equal the earlier ones. Otherwise the
 * episode is lost, since the state of the world is unknown.
 */
import { LostEpisode, type Episode, type Observation, type Step, type Task } from '@emac/core';
import { sha256 } from '@emac/files';
import { Gone, type Answered, type Client } from './desk.ts';

/** A command with a hash of its result; null for the first observation's command. */
export interface Made {
  readonly command: string | null;
  readonly sha256: string;
}

/** The stored part of an attempt, in case this process is killed. */
export interface AttemptRecord {
  /** an earlier process's record of this step; undefined without one */
  expected(step: number): Made | undefined;
  /** Stores a step; replaces the record of it and of all later ones. */
  keep(step: number, made: Made): void;
}

export interface Playing {
  /** Takes a free client for this episode. Errors: `unavailable` if none comes, `interrupted`. */
  readonly take: (game: string) => Promise<Client>;
  /** a unique episode name */
  readonly newId: () => string;
  /** allowed restarts of an episode with another client */
  readonly restarts: number;
  /** whether pictures are used */
  readonly pictures: boolean;
  readonly record: AttemptRecord;
}

/** Begins. Errors: `LostEpisode`, those of `take`. */
export async function beginRemote(task: Task, seed: string, playing: Playing): Promise<Episode> {
  const made: Made[] = [];
  const remote: Remote = { task, seed, playing, made, client: null, id: '', left: playing.restarts };
  const first = (await carriedOut(remote, null)).observation;
  let last: Step | null = null;
  return {
    task,
    first,
    async step(command) {
      if (last?.terminated || last?.truncated) return last;
      return (last = await carriedOut(remote, command));
    },
    async close() {
      remote.client?.release();
      remote.client = null;
    },
  };
}

interface Remote {
  readonly task: Task;
  readonly seed: string;
  readonly playing: Playing;
  readonly made: Made[];
  /** null if none plays it */
  client: Client | null;
  /** the client's id of the episode */
  id: string;
  /** restarts left */
  left: number;
}

/** One command, or the beginning (null), with restarts as needed. */
async function carriedOut(remote: Remote, command: string | null): Promise<Step> {
  for (;;) {
    try {
      remote.client ??= await resumed(remote);
      const { step, sha256 } = await done(remote, command, remote.made.length);
      remember(remote, { command, sha256 });
      return step;
    } catch (thrown) {
      giveUp(remote);
      if (!(thrown instanceof Gone)) throw thrown;
      if (remote.left-- > 0) continue;
      throw new LostEpisode(`${remote.task.id}: ${thrown.message}; it was restarted too often`);
    }
  }
}

/** Errors: `LostEpisode` if an earlier process observed something else. */
function remember(remote: Remote, now: Made): void {
  const { made, playing } = remote;
  const before = playing.record.expected(made.length);
  check(remote, now, before);
  if (before?.command !== now.command) playing.record.keep(made.length, now);
  made.push(now);
}

function giveUp(remote: Remote): void {
  remote.client?.release();
  remote.client = null;
}

/** A client brought to the episode's current state. */
async function resumed(remote: Remote): Promise<Client> {
  const { playing, task, made } = remote;
  const client = await playing.take(task.id);
  remote.id = playing.newId();
  remote.client = client;
  for (const [step, before] of made.entries()) {
    const now = await done(remote, before.command, step);
    check(remote, { command: before.command, sha256: now.sha256 }, before);
  }
  return client;
}

/** Errors: `LostEpisode` if the same command gave another result than before. */
function check({ task }: Remote, now: Made, before: Made | undefined): void {
  if (!before || before.command !== now.command || before.sha256 === now.sha256) return;
  const place = now.command === null ? 'began' : `answered "${now.command}"`;
  throw new LostEpisode(
    `${task.id}: ${place} differently than before; the environment must be deterministic`,
  );
}

interface Done {
  readonly step: Step;
  readonly sha256: string;
}

async function done(
  { client, id, task, seed, playing: { pictures } }: Remote,
  command: string | null,
  step: number,
): Promise<Done> {
  const report = await client!.ask(
    command === null
      ? { do: 'begin', episode: id, game: task.id, seed, pictures }
      : { do: 'step', episode: id, step, command },
  );
  if (report.kind === 'failed') throw new LostEpisode(`${task.id}: its world failed: ${report.reason}`);
  return { step: stepOf(report), sha256: hashOf(report) };
}

type Played = Exclude<Answered, { kind: 'failed' }>;

function stepOf(report: Played): Step {
  const { observation } = report;
  if (report.kind === 'begun')
    return { observation, reward: 0, terminated: false, truncated: false, info: { won: false } };
  const { reward, won, done: terminated, truncated } = report;
  return { observation, reward, terminated, truncated: truncated && !terminated, info: { won } };
}

/** Hashes texts and arrays only; a picture may be compressed differently. */
function hashOf({ observation: { text, admissible, arrays }, ...report }: Played): string {
  const ended = report.kind === 'stepped' ? [report.won, report.done, report.truncated] : [];
  return sha256(JSON.stringify([text, admissible, ended, ...(arrays ? [numbersOf(arrays)] : [])]));
}

function numbersOf(arrays: NonNullable<Observation['arrays']>) {
  return Object.entries(arrays).map(([name, { shape, data }]) => [name, shape, [...data]]);
}
