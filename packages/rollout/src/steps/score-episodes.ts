/**
 * What a policy reaches in environments that are stepped: episodes of seeds that training never has, several under way at once. What
 * happens in one does not depend on the others, so that their number at once changes the speed and nothing else.
 */
import {
  afterwards,
  EmacError,
  eachOf,
  seenOf,
  type MaybeAsync,
  type Policy,
  type Prompt,
  type Random,
  type Sampling,
  type Seed,
  type Steppable,
  type StepOutcome,
} from '@emac/core';
import { heldOutSeed } from './episode-seeds.ts';
import { drawnAction, readingIn, type StepTexts } from './step-texts.ts';

export interface EpisodeScoring<Action = number> {
  readonly policy: Pick<Policy, 'decide'>;
  /** each plays one episode at a time */
  readonly environments: readonly Steppable<unknown, Action>[];
  readonly texts: StepTexts<Action>;
  readonly sampling: Sampling;
  readonly episodes: number;
  /** its name decides the seeds of episodes and what is drawn in them */
  readonly random: Random;
  /** of the n-th episode, from 0, where episodes are not drawn but all there are: absent, one that training never has */
  readonly seedOf?: (episode: number) => Seed;
  readonly watch?: EpisodeWatcher<Action>;
  /** episodes that were over before an interruption, by number: they are not played again, nor told */
  readonly known?: ReadonlyMap<number, ScoredEpisode>;
  /** each that ends is told */
  readonly ended?: (episode: number, scored: ScoredEpisode) => void;
  /** ends the evaluation between two steps */
  readonly signal?: AbortSignal;
}

/**
 * Looks on, such as a film; `episode` is the number of the episode. The environment shows what is seen now; once its episode has ended a
 * watcher may play on it.
 */
export interface EpisodeWatcher<Action = number> {
  begun(episode: number, environment: Steppable<unknown, Action>): void;
  stepped(episode: number, step: WatchedStep<Action>): void;
  ended(episode: number, scored: ScoredEpisode): MaybeAsync<void>;
}

export interface WatchedStep<Action = number> {
  readonly environment: Steppable<unknown, Action>;
  /** the policy's words */
  readonly answer: string;
  readonly action: Action;
  /** the answer named no action: this one was drawn */
  readonly isFallback: boolean;
  readonly outcome: StepOutcome;
}

export interface ScoredEpisode {
  /** undiscounted */
  readonly return: number;
  readonly steps: number;
  readonly truncated: boolean;
  /** steps at which the answer named no action, and a random one was taken */
  readonly fallbacks: number;
}

export interface EpisodeScores {
  /** by number */
  readonly episodes: readonly ScoredEpisode[];
  readonly meanReturn: number;
  /** of the mean return; 0 for one episode */
  readonly standardError: number;
  /** share of episodes with a return above 0, as the published code counts */
  readonly success: number;
  readonly meanSteps: number;
}

/** Errors: `usage` for no episode; `interrupted` by its signal; those of the policy and the environments. */
export async function scoreEpisodes<Action = number>(
  scoring: EpisodeScoring<Action>,
): Promise<EpisodeScores> {
  const { episodes, known } = scoring;
  if (!Number.isSafeInteger(episodes) || episodes < 1)
    throw new EmacError('usage', `evaluation: needs one episode or more, got ${episodes}`);
  const scored = new Map(known);
  const numbers = Array.from({ length: episodes }, (_, number) => number);
  const left = numbers.filter((number) => !scored.has(number));
  await playAll(scoring, left, (number, result) => {
    scored.set(number, result);
    return afterwards(scoring.watch?.ended(number, result), () => scoring.ended?.(number, result));
  });
  const all = numbers.map((number) => scored.get(number)!);
  return { episodes: all, ...summary(all) };
}

/** One episode by its number, as it is among the others. Errors: as `scoreEpisodes`. */
export async function scoreEpisode<Action = number>(
  scoring: Omit<EpisodeScoring<Action>, 'episodes' | 'known' | 'ended' | 'watch'>,
  number: number,
): Promise<ScoredEpisode> {
  let scored: ScoredEpisode | null = null;
  await playAll(scoring, [number], (_, result) => void (scored = result));
  return scored!;
}

type Scoring<Action> = Omit<EpisodeScoring<Action>, 'episodes' | 'known' | 'ended'>;

async function playAll<Action>(
  scoring: Scoring<Action>,
  numbers: readonly number[],
  over: (number: number, result: ScoredEpisode) => MaybeAsync<void>,
): Promise<void> {
  const { environments, signal } = scoring;
  const left = numbers.values();
  // whose number is taken first must not depend on how long anything takes
  const nextIn = (environment: Steppable<unknown, Action>, before?: () => MaybeAsync<void>) => {
    const { value: number } = left.next();
    return afterwards(before?.(), () =>
      number === undefined ? null : begun(scoring, { environment, number }),
    );
  };
  try {
    let playing = playingIn(await eachOf(environments, (environment) => nextIn(environment)));
    while (playing.length > 0) {
      if (signal?.aborted) throw new EmacError('interrupted', 'evaluation: stopped on request');
      const ended = await stepAll(scoring, playing);
      if (!ended.some((end) => end)) continue;
      const following = eachOf(playing, (episode, place) => {
        const end = ended[place];
        if (!end) return episode;
        const { number, return: sum, steps, fallbacks } = episode;
        return nextIn(episode.environment, () => over(number, { return: sum, steps, fallbacks, ...end }));
      });
      playing = playingIn(following instanceof Promise ? await following : following);
    }
  } finally {
    await eachOf(environments, (environment) => environment.close?.());
  }
}

function playingIn<Action>(episodes: readonly (Playing<Action> | null)[]): Playing<Action>[] {
  return episodes.filter((episode) => episode !== null);
}

function begun<Action>(
  { random, seedOf, watch }: Scoring<Action>,
  { environment, number }: Pick<Playing<Action>, 'environment' | 'number'>,
): MaybeAsync<Playing<Action>> {
  return afterwards(environment.reset(seedOf?.(number) ?? heldOutSeed(random, number)), () => {
    watch?.begun(number, environment);
    const drawn = random.stream('answers').stream(number);
    return { environment, number, random: drawn, return: 0, steps: 0, fallbacks: 0 };
  });
}

interface Playing<Action> {
  readonly environment: Steppable<unknown, Action>;
  readonly number: number;
  readonly random: Random;
  return: number;
  steps: number;
  fallbacks: number;
}

type End = { readonly truncated: boolean } | null;

/** One step of every episode; which of them ended with it. */
async function stepAll<Action>(
  { policy, texts, sampling, watch }: Scoring<Action>,
  playing: readonly Playing<Action>[],
): Promise<End[]> {
  const prompts: Prompt[] = await Promise.all(
    playing.map(({ environment }) => texts.prompt(seenOf(environment, texts))),
  );
  const questions = playing.map(({ random }, place) => ({ prompt: prompts[place]!, allowed: null, random }));
  const answers = await policy.decide(questions, sampling);
  const taken = playing.map(({ environment, random }, place) => {
    const drawing = sampling.kind === 'sample' ? random : null;
    const { action } = readingIn(environment, texts, { answer: answers[place]!, random: drawing });
    return { isFallback: action === null, action: action ?? drawnAction(environment, texts, random) };
  });
  const stepped = eachOf(playing, ({ environment }, place) => environment.step(taken[place]!.action));
  const outcomes = stepped instanceof Promise ? await stepped : stepped;
  return playing.map((episode, place) => {
    const { environment, number } = episode;
    const outcome = outcomes[place]!;
    watch?.stepped(number, { environment, answer: answers[place]!.text, ...taken[place]!, outcome });
    episode.return += outcome.reward;
    episode.steps++;
    if (taken[place]!.isFallback) episode.fallbacks++;
    const { terminated, truncated } = outcome;
    return terminated || truncated ? { truncated: truncated && !terminated } : null;
  });
}

function summary(scored: readonly ScoredEpisode[]): Omit<EpisodeScores, 'episodes'> {
  const { length } = scored;
  const mean = (of: (episode: ScoredEpisode) => number) =>
    scored.reduce((sum, episode) => sum + of(episode), 0) / length;
  const meanReturn = mean((episode) => episode.return);
  const squares = mean((episode) => (episode.return - meanReturn) ** 2);
  return {
    meanReturn,
    standardError: length > 1 ? Math.sqrt(squares / (length - 1)) : 0,
    success: mean((episode) => (episode.return > 0 ? 1 : 0)),
    meanSteps: mean(({ steps }) => steps),
  };
}
