/**
 * Measures trials of a run: the smallest possible, which opens sessions, then one with as many attempts or environments
 * under way as the run has, then larger ones as time allows. Each is the real run in a temporary folder, which is
 * removed.
 *
 * Attempts under way decide together. So n of them take at least as long as one, and at most n times as long. Where the
 * smallest trial alone is measured, playing has these bounds.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { RunError, type OpenedRun } from '@emac/experiment';
import { whileReading, whileWriting } from '@emac/files';
import type { Expected, Host, Range } from '@emac/opening';
import { recorder, type Recorded } from './recorder.ts';

/** Times in milliseconds. */
export interface Measured {
  /** until everything was open */
  readonly opening: number;
  /** a step, an attempt or a sample is played or answered, at the beginning of an episode and on average over a longest one */
  readonly play: Range;
  /** a row is learned from; without labels a played step or attempt */
  readonly learn: number;
  /** a sample is shown by the expert, and measured without learning as often as in the run */
  readonly measure: number;
  /** a held-out episode, or a step of it */
  readonly evaluate: Range;
  /** sentences on the method of measurement */
  readonly how: readonly string[];
}

/** What trials of a run or another piece of work came to. */
export interface Trials extends Omit<Measured, 'opening'> {
  /** of the largest trial */
  readonly recorded: Recorded;
  readonly bytes: Bytes;
}

/** Bytes of a trial's folder beside its checkpoints. */
export interface Bytes {
  readonly reference: number;
  /** what grows with the work */
  readonly others: number;
}

export interface Measuring {
  readonly host: Host;
  /** time limit in milliseconds; the rest is extrapolated */
  readonly limit: number;
  /** bytes */
  readonly resident: () => number;
}

/** episodes of an evaluation that are played at most */
const episodesAtMost = 8;

/** Errors: those of the method. */
export async function measureTrials(
  run: Pick<OpenedRun, 'tried'>,
  expected: Expected,
  measuring: Measuring,
): Promise<Trials> {
  const { host, limit } = measuring;
  const until = host.now() + limit;
  const left = () => until - host.now();
  const { size, together, maxSteps, heldOut } = expected;
  const smallest = await tried(run, expected, { ...measuring, size: 1, episodes: 0 });
  let [last, asked] = [smallest, 1];
  const each = () => last.milliseconds / Math.max(1, last.done);
  // a larger one takes less for each
  const fitting = () => Math.min(size, Math.floor(left() / 2 / each()));
  // worth more than the limit, but not where a model is too slow for it
  const isQuick = smallest.milliseconds <= 2 * limit;
  for (let next = Math.max(fitting(), isQuick ? together : 0); next > asked; next = fitting()) {
    // cut off where training's episodes are
    const [least, length] = heldOut.steps === null ? [0, maxSteps] : [1, next / together];
    const fit = Math.max(least, Math.floor(left() / 4 / (each() * length)));
    const episodes = Math.max(0, Math.min(fit, heldOut.episodes, episodesAtMost));
    [last, asked] = [await tried(run, expected, { ...measuring, size: next, episodes }), next];
  }
  const { example, acting } = smallest.recorded;
  const first = { ...(example && { example }), ...(acting !== null && { acting }) };
  return {
    ...ratesOf(expected, last),
    recorded: { ...last.recorded, ...first },
    bytes: last.bytes,
    how: howOf(expected, last),
  };
}

interface Tried {
  readonly recorded: Recorded;
  readonly bytes: Bytes;
  readonly size: number;
  readonly episodes: number;
  /** of training */
  readonly milliseconds: number;
  /** steps, attempts or samples of it */
  readonly done: number;
}

async function tried(
  run: Pick<OpenedRun, 'tried'>,
  expected: Expected,
  { host, resident, size, episodes }: Measuring & { readonly size: number; readonly episodes: number },
): Promise<Tried> {
  const { trial, listener, recorded } = recorder({ expected, now: host.now, resident, size, episodes });
  try {
    return await inTemporary(async (out) => {
      const { folder } = await run.tried(out, trial, { ...host, listener });
      const all = recorded();
      const milliseconds = all.milliseconds('playing') + all.milliseconds('learning');
      const done = expected.noun === 'sample' ? all.learned : all.played;
      return { recorded: all, bytes: bytesIn(folder), size, episodes, milliseconds, done };
    });
  } catch (thrown) {
    // nobody can resume it
    throw thrown instanceof RunError ? thrown.cause : thrown;
  }
}

/** A folder that exists as long as the work. */
export async function inTemporary<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = whileWriting(tmpdir(), () => mkdtempSync(join(tmpdir(), 'emac-dry-run-')));
  try {
    return await work(folder);
  } finally {
    whileWriting(folder, () => rmSync(folder, { recursive: true, force: true }));
  }
}

export function bytesIn(folder: string): Bytes {
  const sum = { checkpoints: 0, reference: 0, others: 0 };
  const names = whileReading(folder, () => readdirSync(folder, { recursive: true, withFileTypes: true }));
  for (const entry of names.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const [top] = relative(folder, path).split(sep);
    sum[top === 'checkpoints' || top === 'reference' ? top : 'others'] += statSync(path).size;
  }
  return sum;
}

/** Prompts of a longest episode are so many times as long as those of the trial, on average. */
export function longer({ prompts }: Recorded): number {
  return prompts === null ? 1 : Math.max(1, (prompts.first + prompts.last) / 2 / prompts.mean);
}

export const per = (total: number, count: number): number => total / Math.max(1, count);

/** Of one each. */
function ratesOf(
  { labels, noun, together, measured, heldOut, maxSteps }: Expected,
  { recorded, episodes, size }: Tried,
): Pick<Measured, 'play' | 'learn' | 'measure' | 'evaluate'> {
  const { milliseconds, played, learned, evaluated, shown } = recorded;
  const step = per(milliseconds('playing'), played);
  const play = { least: step * Math.min(1, played / together), most: step * longer(recorded) };
  // before training and after it
  const samples = 2 * (noun === 'sample' ? Math.min(size, measured?.samples.most ?? 0) : shown);
  const isCut = heldOut.steps !== null;
  const held = per(milliseconds('evaluating'), isCut ? evaluated : 2 * episodes);
  return {
    play,
    learn: per(milliseconds('learning'), labels ? learned : played),
    measure:
      per(milliseconds('showing'), shown) + (measured?.times ?? 0) * per(milliseconds('measuring'), samples),
    evaluate:
      episodes > 0
        ? { least: held, most: held * longer(recorded) }
        : { least: play.least, most: play.most * (isCut ? 1 : maxSteps) },
  };
}

function howOf({ noun, size, labels, heldOut }: Expected, { recorded, done, episodes }: Tried): string[] {
  const all = done < size ? `, extrapolated to the ${size} of an update` : '';
  const rows = labels && noun === 'step' ? `, ${recorded.learned} rows learned from` : '';
  const played = episodes > 0 ? 'a few episodes' : `extrapolated from ${noun}s of training`;
  return [
    `updating: ${done} ${noun}s${all}${rows}`,
    ...(heldOut.episodes > 0 ? [`evaluating: ${played}`] : []),
  ];
}
