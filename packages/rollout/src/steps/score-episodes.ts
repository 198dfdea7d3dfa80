/**
 * Scores a policy in stepped environments, on episodes with held-out seeds, several at once. Episodes do not affect
 * each other, so their number at once changes the speed only.
 */
import {
  afterwards,
  type Answer,
  EmacError,
  eachOf,
  LostEpisode,
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

/** A policy that is asked in prompts, all episodes at once. */
export interface AskedPolicy<Action = number> {
  readonly policy: Pick<Policy, 'decide'>;
  readonly texts: StepTexts<Action>;
  readonly sampling: Sampling;
}

/** A player without prompts, asked episode by episode, so that a slow answer holds up its own episode alone. */
export interface AskedPlayer<Action = number> {
  choose(episode: ActiveEpisode<Action>): Promise<ChosenAction<Action>>;
}

type Asked<Action> = AskedPolicy<Action> | AskedPlayer<Action>;

export interface EpisodesToScore<Action> {
  /** each plays one episode at a time */
  readonly environments: readonly Steppable<unknown, Action>[];
  /** of the episodes to play */
  readonly numbers: readonly number[];
  /** its name decides all draws of the policy */
  readonly random: Random;
  /** the n-th episode's generator, if its name decides otherwise */
  readonly randomOf?: (episode: number) => Random;
  /** the n-th episode's seed, from 0; default `heldOutSeed` */
  readonly seedOf?: (episode: number) => Seed;
  readonly watch?: EpisodeWatcher<Action>;
  /** called at the end of each episode */
  readonly ended?: (episode: number, scored: ScoredEpisode) => void;
  /** called for an episode that its environment failed, which is in no score */
  readonly lost?: (episode: number, fault: string) => void;
  /** stops the evaluation between two steps */
  readonly signal?: AbortSignal;
}

/**
 * Watches episodes, for example to film them; `episode` is the episode's number. The environment shows the current
 * state; after its episode has ended a watcher may play on it.
 */
export interface EpisodeWatcher<Action = number> {
  begun(episode: number, environment: Steppable<unknown, Action>): void;
  stepped(episode: number, step: WatchedStep<Action>): void;
  ended(episode: number, scored: ScoredEpisode): MaybeAsync<void>;
}

export interface ChosenAction<Action = number> {
  /** the policy's words */
  readonly answer: string;
  /** what it read and said; absent: a player without prompts */
  readonly said?: { readonly prompt: Prompt; readonly answer: Answer };
  readonly action: Action;
  /** the answer named no action, so this one was drawn */
  readonly isFallback: boolean;
  /** the answer's command became the nearest accepted one; default false */
  readonly isRepaired?: boolean;
}

export interface WatchedStep<Action = number> extends ChosenAction<Action> {
  readonly environment: Steppable<unknown, Action>;
  readonly outcome: StepOutcome;
}

export interface ScoredEpisode {
  /** undiscounted */
  readonly return: number;
  readonly steps: number;
  readonly truncated: boolean;
  /** steps with a random action because the answer named none */
  readonly fallbacks: number;
  /** steps whose command was repaired; absent: none */
  readonly repairs?: number;
  /** in an environment with a goal; absent: a return above 0 is success */
  readonly won?: boolean;
}

/** Whether an episode counts as a success: by its environment's goal, else as in the published code. */
export function isSuccess({ won, return: sum }: Pick<ScoredEpisode, 'won' | 'return'>): boolean {
  return won ?? sum > 0;
}

/**
 * Plays episodes by their numbers; returns their scores in the same order, without lost ones. Errors: `interrupted` by its signal; those of the
 * policy and the environments; of a lost episode its own, unless `lost` takes it.
 */
export async function scoreEpisodes<Action = number>(
  scoring: EpisodesToScore<Action> & Asked<Action>,
): Promise<ScoredEpisode[]> {
  const { numbers, watch, lost } = scoring;
  const scored = new Map<number, ScoredEpisode>();
  await playAll(scoring, (number, result) => {
    if (result instanceof LostEpisode) {
      if (!lost) throw result;
      return lost(number, result.message);
    }
    scored.set(number, result);
    return afterwards(watch?.ended(number, result), () => scoring.ended?.(number, result));
  });
  return numbers.flatMap((number) => scored.get(number) ?? []);
}

type Scoring<Action> = EpisodesToScore<Action> & Asked<Action>;

async function playAll<Action>(
  scoring: Scoring<Action>,
  over: (number: number, result: ScoredEpisode | LostEpisode) => MaybeAsync<void>,
): Promise<void> {
  const { environments, numbers, signal } = scoring;
  const left = numbers.values();
  let fault: unknown = null;
  // takes its number before any wait, so the order does not depend on timing
  const nextIn = (
    environment: Steppable<unknown, Action>,
    before?: () => MaybeAsync<void>,
  ): MaybeAsync<Playing<Action> | null> => {
    const { value: number } = left.next();
    return afterwards(before?.(), () => {
      if (number === undefined) return null;
      const playing = orLost(begun(scoring, { environment, number }));
      return afterwards(playing, (episode) =>
        episode instanceof LostEpisode ? nextIn(environment, () => over(number, episode)) : episode,
      );
    });
  };
  const playIn = async (some: readonly Steppable<unknown, Action>[]): Promise<void> => {
    let playing = playingIn(await eachOf(some, (environment) => nextIn(environment)));
    while (playing.length > 0 && fault === null) {
      if (signal?.aborted) throw new EmacError('interrupted', 'evaluation: stopped on request');
      const ended = await stepAll(scoring, playing);
      if (!ended.some((end) => end)) continue;
      const following = eachOf(playing, (episode, place) => {
        const end = ended[place];
        if (!end) return episode;
        const { number, return: sum, steps, fallbacks, repairs } = episode;
        const score = { return: sum, steps, fallbacks, ...(repairs > 0 && { repairs }) };
        const result = end instanceof LostEpisode ? end : { ...score, ...end };
        return nextIn(episode.environment, () => over(number, result));
      });
      playing = playingIn(following instanceof Promise ? await following : following);
    }
  };
  const groups = 'policy' in scoring ? [environments] : environments.map((each) => [each]);
  try {
    // all stop before a fault is thrown, so nothing plays on behind the caller
    await Promise.all(groups.map((some) => playIn(some).catch((thrown: unknown) => void (fault ??= thrown))));
    if (fault !== null) throw fault as Error;
  } finally {
    await eachOf(environments, (environment) => environment.close?.());
  }
}

/** Only environments elsewhere lose episodes, and these make steps asynchronously. */
function orLost<T>(work: MaybeAsync<T>): MaybeAsync<T | LostEpisode> {
  if (!(work instanceof Promise)) return work;
  return work.catch((thrown: unknown) => {
    if (thrown instanceof LostEpisode) return thrown;
    throw thrown;
  });
}

function playingIn<Action>(episodes: readonly (Playing<Action> | null)[]): Playing<Action>[] {
  return episodes.filter((episode) => episode !== null);
}

function begun<Action>(
  { random, randomOf, seedOf = heldOutSeed, watch }: Scoring<Action>,
  { environment, number }: Pick<Playing<Action>, 'environment' | 'number'>,
): MaybeAsync<Playing<Action>> {
  return afterwards(environment.reset(seedOf(number)), () => {
    watch?.begun(number, environment);
    const drawn = randomOf?.(number) ?? random.stream('answers').stream(number);
    return { environment, number, random: drawn, return: 0, steps: 0, fallbacks: 0, repairs: 0 };
  });
}

/** An episode under way. */
export interface ActiveEpisode<Action = number> {
  readonly environment: Steppable<unknown, Action>;
  readonly number: number;
  /** generator of its answers */
  readonly random: Random;
}

interface Playing<Action> extends ActiveEpisode<Action> {
  return: number;
  steps: number;
  fallbacks: number;
  repairs: number;
}

type End = Pick<ScoredEpisode, 'truncated' | 'won'> | LostEpisode | null;

/** Makes one step in every episode; returns the ends of those that are over. */
async function stepAll<Action>(
  scoring: Scoring<Action>,
  playing: readonly Playing<Action>[],
): Promise<End[]> {
  const { watch } = scoring;
  const taken = await chosenBy(scoring, playing);
  const stepped = eachOf(playing, ({ environment }, place) => orLost(environment.step(taken[place]!.action)));
  const outcomes = stepped instanceof Promise ? await stepped : stepped;
  return playing.map((episode, place) => {
    const { environment, number } = episode;
    const outcome = outcomes[place]!;
    if (outcome instanceof LostEpisode) return outcome;
    watch?.stepped(number, { environment, ...taken[place]!, outcome });
    episode.return += outcome.reward;
    episode.steps++;
    if (taken[place]!.isFallback) episode.fallbacks++;
    if (taken[place]!.isRepaired) episode.repairs++;
    const { terminated, truncated, won } = outcome;
    if (!terminated && !truncated) return null;
    return { truncated: truncated && !terminated, ...(won !== undefined && { won }) };
  });
}

async function chosenBy<Action>(
  by: Asked<Action>,
  playing: readonly Playing<Action>[],
): Promise<readonly ChosenAction<Action>[]> {
  if (!('policy' in by)) return Promise.all(playing.map((episode) => by.choose(episode)));
  const { policy, texts, sampling } = by;
  const prompts: Prompt[] = await Promise.all(
    playing.map(({ environment }) => texts.prompt(seenOf(environment, texts))),
  );
  const questions = playing.map(({ random }, place) => ({ prompt: prompts[place]!, allowed: null, random }));
  const answers = await policy.decide(questions, sampling);
  return playing.map(({ environment, random }, place) => {
    const [answer, drawing] = [answers[place]!, sampling.kind === 'sample' ? random : null];
    const { action } = readingIn(environment, texts, { answer, random: drawing });
    const isFallback = action === null;
    const taken = action ?? drawnAction(environment, texts, random);
    return { answer: answer.text, said: { prompt: prompts[place]!, answer }, isFallback, action: taken };
  });
}
