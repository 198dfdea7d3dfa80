/**
 * Robot episodes played by a remote client: the policy's seven numbers are sent as a command in words, separated by
 * blanks. Several run at once, without affecting each other. An episode lost by its world is in no count.
 */
import {
  EmacError,
  LostEpisode,
  type Environment,
  type Episode,
  type Observation,
  type Policy,
  type Random,
  type Sampling,
  type Task,
} from '@emac/core';
import type { StepAction } from '@emac/opening';
import type { LostGame, StepTexts } from '@emac/rollout';

export interface RemoteScoring {
  readonly environment: Environment;
  /** each is played once, in this order */
  readonly tasks: readonly Task[];
  readonly policy: Pick<Policy, 'decide'>;
  readonly texts: StepTexts<StepAction>;
  readonly sampling: Sampling;
  /** draws in an episode depend only on its index among the tasks */
  readonly random: Random;
  /** episodes under way at once */
  readonly atOnce: number;
  /** episodes that were over before an interruption, by their place among the tasks */
  readonly known?: ReadonlyMap<number, RemoteScore>;
  /** called for every newly finished episode; a lost one has no score */
  readonly ended?: (number: number, score: RemoteScore | LostGame) => void;
  readonly signal?: AbortSignal;
}

export interface RemoteScore {
  readonly task: Task;
  readonly won: boolean;
  readonly return: number;
  readonly steps: number;
}

export interface RemoteScores {
  /** in the order of the tasks, without lost ones */
  readonly episodes: readonly RemoteScore[];
  readonly lost: readonly LostGame[];
}

/**
 * Errors: `interrupted`; `data` for a world without pictures; `unavailable` if no client is left; those of the policy.
 */
export async function scoreRemote(scoring: RemoteScoring): Promise<RemoteScores> {
  const { tasks, atOnce, known = new Map<number, RemoteScore>(), ended, signal } = scoring;
  const scores: (RemoteScore | LostGame)[] = tasks.map((_, number) => known.get(number)!);
  const open = [...tasks.keys()].filter((number) => !known.has(number));
  let playing: Playing[] = [];
  const settle = (number: number, score: RemoteScore | LostGame) => {
    scores[number] = score;
    ended?.(number, score);
  };
  try {
    for (;;) {
      if (signal?.aborted) throw new EmacError('interrupted', 'evaluation: stopped on request');
      const numbers = open.splice(0, atOnce - playing.length);
      const begun = await Promise.all(numbers.map((number) => beginning(scoring, number, settle)));
      playing.push(...begun.flatMap((each) => each ?? []));
      if (playing.length === 0 && open.length === 0) break;
      playing = await stepped(scoring, playing, settle);
    }
  } finally {
    await Promise.all(playing.map(({ episode }) => episode.close()));
  }
  return {
    episodes: scores.filter((each): each is RemoteScore => 'task' in each),
    lost: scores.filter((each): each is LostGame => 'fault' in each),
  };
}

interface Playing {
  readonly number: number;
  readonly episode: Episode;
  readonly random: Random;
  seen: Observation;
  return: number;
  steps: number;
}

type Settle = (number: number, score: RemoteScore | LostGame) => void;

/** Null for a lost episode, which is reported. */
async function beginning(
  { environment, tasks, random }: RemoteScoring,
  number: number,
  settle: Settle,
): Promise<Playing | null> {
  const task = tasks[number]!;
  const drawn = random.stream('answers').stream(number);
  return unlessLost(
    async () => {
      const episode = await environment.begin(task, random.stream('episode').stream(number).path);
      return { number, episode, random: drawn, seen: episode.first, return: 0, steps: 0 };
    },
    (fault) => settle(number, { id: task.id, fault }),
  );
}

/** Makes one step in every episode; returns unfinished ones. */
async function stepped(
  { policy, texts, sampling }: RemoteScoring,
  playing: readonly Playing[],
  settle: Settle,
): Promise<Playing[]> {
  const prompts = await Promise.all(playing.map(({ seen, episode }) => texts.prompt(shown(seen, episode))));
  const questions = playing.map(({ random }, place) => ({ prompt: prompts[place]!, allowed: null, random }));
  const answers = await policy.decide(questions, sampling);
  const going = await Promise.all(
    playing.map(async (each, place) => {
      const { number, episode, random } = each;
      const { action } = texts.read(answers[place]!, sampling.kind === 'sample' ? random : null);
      const step = await unlessLost(
        () => episode.step(commandOf(action)),
        (fault) => settle(number, { id: episode.task.id, fault }),
      );
      if (step === null) return [];
      each.seen = step.observation;
      each.return += step.reward;
      each.steps++;
      if (!step.terminated && !step.truncated) return [each];
      await episode.close();
      settle(number, { task: episode.task, won: step.info.won, return: each.return, steps: each.steps });
      return [];
    }),
  );
  return going.flat();
}

function shown({ text, frames, arrays = {} }: Observation, { task }: Episode) {
  const [frame] = frames;
  if (frame) return { text, arrays, frame };
  throw new EmacError('data', `${task.id}: the client sent no picture; let it send pictures`);
}

function commandOf(action: StepAction | null): string {
  if (Array.isArray(action)) return action.join(' ');
  throw new EmacError('internal', 'remote robot: the answer holds no numbers');
}

async function unlessLost<T>(work: () => Promise<T>, lost: (fault: string) => void): Promise<T | null> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof LostEpisode)) throw thrown;
    lost(thrown.message);
    return null;
  }
}
