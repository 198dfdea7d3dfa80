/**
 * Training data for PPO: some steps of several environments stepped side by side; episodes begin and end among them.
 * Every step keeps its prompt, the answer's token ids with their log-probabilities, and the prompt's value. A truncated
 * episode also keeps the value of its last observation.
 */
import {
  seenOf,
  type Acted,
  type ActorCritic,
  type Answer,
  type Prompt,
  type Random,
  type Sampling,
  type Steppable,
  type Vector,
  type VectorOutcome,
} from '@emac/core';
import type { StepNumbers } from './advantages.ts';
import { drawnAction, readingIn, type Reading, type StepTexts } from './step-texts.ts';
import { askedTogether } from './together.ts';

export interface Collection<Action = number> {
  readonly actor: Pick<ActorCritic, 'act' | 'values'>;
  /** after reset; with `lastFrames` if the texts read frames */
  readonly vector: Vector<Action>;
  readonly texts: StepTexts<Action>;
  readonly sampling: Sampling;
  /** per environment */
  readonly steps: number;
  /** environments whose prompts form one batch; absent or null: all of them */
  readonly together?: number | null;
  /** generators of sampled answers and of fallback actions, by environment */
  readonly randoms: readonly Random[];
  /** episodes under way, by environment */
  readonly running: readonly RunningEpisode[];
  /** absent: no ratings */
  readonly rate?: StepRater<Action>;
}

/**
 * Rates how useful an action was, from 0 to 10 (very useful), or null if unknown. It is called before the action; the
 * function it returns is called after it, unless the episode ended: the environment is then in its next one. Neither
 * may change the environment.
 */
export type StepRater<Action = number> = (
  environment: Steppable<unknown, Action>,
  action: Action,
) => () => number | null | Promise<number | null>;

/** The totals of an episode under way. */
export interface RunningEpisode {
  /** undiscounted */
  readonly return: number;
  readonly steps: number;
}

export interface FinishedEpisode extends RunningEpisode {
  /** index of its environment */
  readonly place: number;
  readonly truncated: boolean;
  /** in an environment with a goal */
  readonly won?: boolean;
}

/** Step s of environment e is at s · E + e. */
export interface CollectedSteps<Action = number> extends StepNumbers {
  /** includes penalties of readings */
  readonly rewards: Float64Array;
  readonly values: Float32Array;
  readonly terminated: Uint8Array;
  readonly truncated: Uint8Array;
  readonly finalValues: Float32Array;
  readonly nextValues: Float32Array;
  /** the prompt before each step */
  readonly prompts: readonly Prompt[];
  readonly answers: readonly Answer[];
  readonly readings: readonly Reading<Action>[];
  /** actions taken, named by the answer or drawn [S · E] */
  readonly actions: readonly Action[];
  /** null without a rater, and where the episode ended [S · E] */
  readonly ratings: readonly (number | null)[];
  /** in the order of their ends */
  readonly finished: readonly FinishedEpisode[];
  /** by environment, after the last step */
  readonly running: readonly RunningEpisode[];
}

/** Errors: those of the policy and the environments. */
export async function collectSteps<Action = number>(
  collection: Collection<Action>,
): Promise<CollectedSteps<Action>> {
  const { vector, texts, steps } = collection;
  const made = storage(collection);
  let prompts = await promptsOf(collection);
  for (let step = 0; step < steps; step++) {
    const { answers, values } = await ask(collection, prompts);
    const readings = answers.map((answer, place) =>
      readingIn(vector.environments[place]!, texts, { answer, random: drawnWith(collection, place) }),
    );
    const actions = actionsOf(collection, readings);
    const ratings = ratingsOf(collection, actions);
    const stepped = vector.step(actions);
    const outcomes = stepped instanceof Promise ? await stepped : stepped;
    await made.add({
      prompts,
      answers,
      values,
      readings,
      actions,
      ratings: await ratings(outcomes),
      outcomes,
    });
    prompts = await promptsOf(collection);
  }
  return made.end(prompts);
}

function drawnWith<Action>({ sampling, randoms }: Collection<Action>, place: number): Random | null {
  return sampling.kind === 'sample' ? randoms[place]! : null;
}

async function ask<Action>(
  { actor, randoms, sampling, together }: Collection<Action>,
  prompts: readonly Prompt[],
): Promise<Acted> {
  const questions = prompts.map((prompt, place) => ({ prompt, allowed: null, random: randoms[place]! }));
  const acted = await askedTogether(questions, together, (some) => actor.act(some, sampling));
  if (acted.length === 1) return acted[0]!;
  return {
    answers: acted.flatMap(({ answers }) => answers),
    values: Float32Array.from(acted.flatMap(({ values }) => [...values])),
  };
}

/** Does not await prompts that are there at once: a turn of the event loop takes longer than a step of a small game. */
async function promptsOf<Action>({ vector, texts }: Collection<Action>): Promise<Prompt[]> {
  const made = vector.environments.map((environment) => texts.prompt(seenOf(environment, texts)));
  return made.some((each) => each instanceof Promise) ? Promise.all(made) : (made as Prompt[]);
}

function actionsOf<Action>(
  { vector, texts, randoms }: Collection<Action>,
  readings: readonly Reading<Action>[],
): Action[] {
  return readings.map(
    ({ action }, place) => action ?? drawnAction(vector.environments[place]!, texts, randoms[place]!),
  );
}

type Ratings = (number | null)[];

/** Asked before the step, answered after it. */
function ratingsOf<Action>(
  { vector, rate }: Collection<Action>,
  actions: readonly Action[],
): (outcomes: readonly VectorOutcome[]) => Ratings | Promise<Ratings> {
  if (!rate) return (outcomes) => outcomes.map(() => null);
  const asked = vector.environments.map((environment, place) => rate(environment, actions[place]!));
  return (outcomes) => Promise.all(outcomes.map(({ last }, place) => (last ? null : asked[place]!())));
}

interface MadeStep<Action> {
  readonly prompts: readonly Prompt[];
  readonly answers: readonly Answer[];
  readonly values: Float32Array;
  readonly readings: readonly Reading<Action>[];
  readonly actions: readonly Action[];
  readonly ratings: Ratings;
  readonly outcomes: readonly VectorOutcome[];
}

function storage<Action>({ actor, texts, steps, vector, running: before, together }: Collection<Action>) {
  const environments = vector.environments.length;
  const size = steps * environments;
  const numbers = {
    environments,
    rewards: new Float64Array(size),
    values: new Float32Array(size),
    terminated: new Uint8Array(size),
    truncated: new Uint8Array(size),
    finalValues: new Float32Array(size),
  };
  const prompts: Prompt[] = [];
  const answers: Answer[] = [];
  const readings: Reading<Action>[] = [];
  const actions: Action[] = [];
  const ratings: Ratings = [];
  const finished: FinishedEpisode[] = [];
  const running = [...before];
  /** last prompts of truncated episodes, and their environments */
  const cut: { readonly place: number; readonly prompt: Prompt }[] = [];

  const addOutcome = async (outcome: VectorOutcome, place: number, environment: number): Promise<void> => {
    const { reward, terminated, truncated, last, won } = outcome;
    const soFar = running[environment]!;
    const now = { return: soFar.return + reward, steps: soFar.steps + 1 };
    numbers.rewards[place] = reward + (readings[place]!.penalty ?? 0);
    numbers.terminated[place] = terminated ? 1 : 0;
    numbers.truncated[place] = truncated && !terminated ? 1 : 0;
    if (numbers.truncated[place]) cut.push({ place, prompt: await texts.prompt(last!) });
    running[environment] = last ? { return: 0, steps: 0 } : now;
    if (!last) return;
    const verdict = won !== undefined && { won };
    finished.push({ ...now, place: environment, truncated: truncated && !terminated, ...verdict });
  };
  return {
    add: async (made: MadeStep<Action>): Promise<void> => {
      const start = prompts.length;
      numbers.values.set(made.values, start);
      prompts.push(...made.prompts);
      answers.push(...made.answers);
      readings.push(...made.readings);
      actions.push(...made.actions);
      ratings.push(...made.ratings);
      for (const [environment, outcome] of made.outcomes.entries())
        await addOutcome(outcome, start + environment, environment);
    },
    end: async (next: readonly Prompt[]): Promise<CollectedSteps<Action>> => {
      const nextValues = new Float32Array(next.length);
      await askedTogether(next, together, async (own, { first, end }) => {
        const ended = cut.filter(({ place }) => first <= place % environments && place % environments < end);
        const values = await actor.values([...own, ...ended.map(({ prompt }) => prompt)]);
        nextValues.set(values.subarray(0, own.length), first);
        ended.forEach(({ place }, which) => (numbers.finalValues[place] = values[own.length + which]!));
      });
      return { ...numbers, nextValues, prompts, answers, readings, actions, ratings, finished, running };
    },
  };
}
