/**
 * What a policy reaches in environments stepped by number: episodes of seeds that training never has, several under way at once. What
 * happens in one does not depend on the others, so that their number at once changes the speed and nothing else.
 */
import {
  EmacError,
  type Policy,
  type Prompt,
  type Random,
  type Sampling,
  type Seed,
  type StepEnvironment,
  type StepOutcome,
} from '@emac/core';
import { heldOutSeed } from './episode-seeds.ts';
import { drawnAction, seenOf, type StepTexts } from './step-texts.ts';

export interface EpisodeScoring<Action = number> {
  readonly policy: Pick<Policy, 'decide'>;
  /** each plays one episode at a time */
  readonly environments: readonly StepEnvironment<unknown, Action>[];
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
  begun(episode: number, environment: StepEnvironment<unknown, Action>): void;
  stepped(episode: number, step: WatchedStep<Action>): void;
  ended(episode: number, scored: ScoredEpisode): void;
}

export interface WatchedStep<Action = number> {
  readonly environment: StepEnvironment<unknown, Action>;
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
    scoring.watch?.ended(number, result);
    scoring.ended?.(number, result);
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
  await playAll(scoring, [number], (_, result) => (scored = result));
  return scored!;
}

type Scoring<Action> = Omit<EpisodeScoring<Action>, 'episodes' | 'known' | 'ended'>;

async function playAll<Action>(
  scoring: Scoring<Action>,
  numbers: readonly number[],
  over: (number: number, result: ScoredEpisode) => void,
): Promise<void> {
  const { environments, random } = scoring;
  const left = numbers.values();
  const begin = (environment: StepEnvironment<unknown, Action>): Playing<Action>[] => {
    const { value: number } = left.next();
    if (number === undefined) return [];
    environment.reset(scoring.seedOf?.(number) ?? heldOutSeed(random, number));
    scoring.watch?.begun(number, environment);
    const drawn = random.stream('answers').stream(number);
    return [{ environment, number, random: drawn, return: 0, steps: 0, fallbacks: 0 }];
  };
  let playing = environments.flatMap(begin);
  while (playing.length > 0) {
    if (scoring.signal?.aborted) throw new EmacError('interrupted', 'evaluation: stopped on request');
    const ended = await stepAll(scoring, playing);
    playing = playing.flatMap((episode, place) => {
      if (!ended[place]) return [episode];
      const { return: sum, steps, fallbacks } = episode;
      over(episode.number, { return: sum, steps, fallbacks, truncated: ended[place].truncated });
      return begin(episode.environment);
    });
  }
}

interface Playing<Action> {
  readonly environment: StepEnvironment<unknown, Action>;
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
  return playing.map((episode, place) => {
    const { environment, random } = episode;
    const { action: named } = texts.read(answers[place]!, sampling.kind === 'sample' ? random : null);
    const isFallback = named === null;
    const action = named ?? drawnAction(environment, texts, random);
    const outcome = environment.step(action);
    watch?.stepped(episode.number, {
      environment,
      answer: answers[place]!.text,
      action,
      isFallback,
      outcome,
    });
    episode.return += outcome.reward;
    episode.steps++;
    if (isFallback) episode.fallbacks++;
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
