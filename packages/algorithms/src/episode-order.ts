/**
 * Orders and draws in which steps of an episode stay together, so that a language model reads their common history once. Episodes are
 * drawn alike, so every step is as likely as any other.
 */
import type { Random } from '@emac/core';

/** Samples of a minibatch of a language model: single steps, or the steps of whole episodes. */
export type RowsOf = 'steps' | 'episodes';

/** The places of an episode's steps, in order. */
export type EpisodePlaces = readonly number[];

export interface Passes {
  readonly passes: number;
  /** of a minibatch; the last of a pass may be smaller */
  readonly size: number;
  /** named by the update; each pass has its own stream */
  readonly random: Random;
  /** whose steps stay together; null: none */
  readonly episodes: readonly EpisodePlaces[] | null;
}

/** The places of each minibatch of an update: every pass is a new order of all. */
export function* minibatches(count: number, { passes, size, random, episodes }: Passes): Generator<number[]> {
  const all = Array.from({ length: count }, (_, place) => place);
  for (let pass = 0; pass < passes; pass++) {
    const draws = random.stream(pass);
    const order = episodes ? shuffledEpisodes(episodes, draws) : draws.shuffle(all);
    for (let start = 0; start < count; start += size) yield order.slice(start, start + size);
  }
}

/** All places, episodes in a drawn order. */
export function shuffledEpisodes(episodes: readonly EpisodePlaces[], random: Random): number[] {
  return random.shuffle(episodes).flat();
}

/**
 * `count` places of whole episodes, drawn with replacement. Of an episode that does not fit, as many neighbouring steps as are missing, from a
 * drawn one on.
 */
export function drawnEpisodes(
  episodes: readonly EpisodePlaces[],
  { count, random }: { readonly count: number; readonly random: Random },
): number[] {
  const drawn: number[] = [];
  while (drawn.length < count) {
    const episode = random.pick(episodes);
    const missing = count - drawn.length;
    const first = episode.length > missing ? random.integer(episode.length - missing + 1) : 0;
    drawn.push(...episode.slice(first, first + missing));
  }
  return drawn;
}

/** Places from 0 to `length` in episodes; `begins` are the first places of all. */
export function episodesFrom(begins: ArrayLike<number>, length: number): EpisodePlaces[] {
  return Array.from(begins, (begin, episode) => {
    const end = begins[episode + 1] ?? length;
    return Array.from({ length: end - begin }, (_, step) => begin + step);
  });
}

interface Stored {
  readonly length: number;
  readonly appended: number;
  keyedAt(index: number): { readonly round: number; readonly episode: number };
}

/** The episodes in a buffer, of steps that came one after the other; each step is looked at once. */
export function episodesIn(buffer: Stored): () => EpisodePlaces[] {
  /** numbers of the steps that begin an episode, counted over all that ever came */
  const begins: number[] = [];
  let seen = 0;
  let last = '';
  return () => {
    const gone = buffer.appended - buffer.length;
    for (seen = Math.max(seen, gone); seen < buffer.appended; seen++) {
      const { round, episode } = buffer.keyedAt(seen - gone);
      const name = `${round} ${episode}`;
      if (name !== last) begins.push(seen);
      last = name;
    }
    const here = begins.filter((begin) => begin > gone).map((begin) => begin - gone);
    return episodesFrom([0, ...here], buffer.length);
  };
}
