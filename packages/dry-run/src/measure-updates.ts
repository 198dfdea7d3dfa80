/**
 * A short measurement of reinforcement-learning updates: the smallest possible, which opens sessions, then one with as
 * many attempts or environments under way as the run has, then larger ones as time allows, and held-out episodes. Times
 * of a whole update are extrapolated.
 *
 * Attempts under way decide together. So n of them take at least as long as one, and at most n times as long. Where the
 * smallest update alone is measured, playing has these bounds.
 */
import type { Answer, Prompt } from '@emac/core';
import type { Rehearsal } from '@emac/experiment';
import type { Measured, Measuring } from './measure.ts';
import { exactly, type Range } from './range.ts';

/** Times in milliseconds. */
export interface MeasuredUpdates extends Pick<Measured, 'opening' | 'how' | 'memory'> {
  /** a step of an environment or an attempt is played */
  readonly play: Range;
  /** it is learned from once */
  readonly learn: number;
  /** a held-out episode */
  readonly evaluate: Range;
}

export interface TimedUpdates extends Omit<MeasuredUpdates, 'opening' | 'memory'> {
  readonly memory: Omit<Measured['memory'], 'opened'>;
  /** the policy's first prompt and answer */
  readonly first: { readonly prompt: Prompt; readonly answer: Answer };
}

/** Errors: those of the method. */
export async function measureUpdates(
  rehearsal: Rehearsal,
  { now, limit, memory }: Measuring,
): Promise<TimedUpdates> {
  const until = now() + limit;
  const left = () => until - now();
  const { size, noun, passes, heldOut, together } = rehearsal;
  const each = ({ play, learn }: TimedUpdate) => play + learn;
  const smallest = await timed(rehearsal, 1, { now, memory });
  let [last, asked] = [smallest, 1];
  // a larger one takes less for each
  const fitting = () => Math.min(size, Math.floor(left() / 2 / each(last)));
  // worth more than the limit, but not where a model is too slow for it
  const isQuick = smallest.size * each(smallest) <= 2 * limit;
  for (let next = Math.max(fitting(), isQuick ? together : 0); next > asked; next = fitting())
    [last, asked] = [await timed(rehearsal, next, { now, memory }), next];
  const play = { least: last.play * Math.min(1, last.size / together), most: last.play };
  const evaluate = heldOut === 0 ? exactly(0) : await timedEpisodes(rehearsal, { now, left, play });
  const counted = last.size < size ? `, extrapolated to the ${size} of an update` : '';
  return {
    ...last,
    play,
    first: smallest.first,
    evaluate,
    memory: { acting: last.acting, usual: memory().peak, peak: memory().peak },
    how: [
      `updating: ${last.size} ${noun}s${counted}${passes > 1 ? `, one measured pass × ${passes}` : ''}`,
      ...(heldOut === 0
        ? []
        : [
            evaluate.least === evaluate.most
              ? 'evaluating: a few episodes'
              : `evaluating: extrapolated from ${left() > 0 ? 'one episode' : `${noun}s of the update`}`,
          ]),
    ],
  };
}

interface TimedUpdate extends Pick<TimedUpdates, 'learn' | 'first'> {
  readonly size: number;
  readonly play: number;
  /** bytes in use when the first gradient begins */
  readonly acting: number;
}

/** Playing ends when the first gradient begins. */
async function timed(
  rehearsal: Rehearsal,
  most: number,
  { now, memory }: Pick<Measuring, 'now' | 'memory'>,
): Promise<TimedUpdate> {
  let first: TimedUpdates['first'] | null = null;
  let played: { readonly at: number; readonly acting: number } | null = null;
  const since = now();
  const size = await rehearsal.update(most, {
    said: (prompt, answer) => (first ??= { prompt, answer }),
    learning: () => (played ??= { at: now(), acting: memory().resident }),
  });
  const end = now();
  const { at, acting } = played ?? { at: end, acting: memory().resident };
  return { size, play: (at - since) / size, learn: (end - at) / size, acting, first: first! };
}

/** episodes that are played for it */
const episodesAtMost = 8;

/** Errors: those of the evaluation. */
async function timedEpisodes(
  { evaluate, heldOut, longest }: Rehearsal,
  { now, left, play }: Pick<Measuring, 'now'> & { readonly left: () => number; readonly play: Range },
): Promise<Range> {
  if (left() <= 0) return { least: play.least, most: play.most * longest };
  const episodes = async (count: number): Promise<number> => {
    const since = now();
    await evaluate(count);
    return (now() - since) / count;
  };
  const one = await episodes(1);
  const many = Math.min(heldOut, episodesAtMost);
  return exactly(left() > one * many ? await episodes(many) : one);
}
