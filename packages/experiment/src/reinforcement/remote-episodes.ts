/**
 * Robot episodes played by a remote client: the policy's seven numbers are sent as a command in words, separated by
 * blanks. Several run at once, without affecting each other. An episode lost by its world is in no count.
 */
import {
  EmacError,
  type Environment,
  type Policy,
  type Random,
  type Sampling,
  type Task,
  type Trajectory,
} from '@emac/core';
import type { StepAction } from '@emac/opening';
import { rollout, type Attempt, type LostGame, type Rollout, type StepTexts } from '@emac/rollout';

export interface RemoteScoring {
  readonly environment: Environment;
  /** each is played once, in this order */
  readonly tasks: readonly Task[];
  readonly policy: Pick<Policy, 'decide'>;
  readonly texts: StepTexts<StepAction>;
  readonly sampling: Sampling;
  /** the draws of an episode depend only on its index among the tasks */
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
  const { environment, tasks, sampling, random, atOnce, known, ended, signal } = scoring;
  const scores = new Map<number, RemoteScore | LostGame>(known);
  const attempts = tasks.map((task, number): Attempt => {
    const draws = { random: random.stream('answers').stream(number) };
    const seed = random.stream('episode').stream(number).path;
    return { task, number, ...draws, seed, memories: [], expertShare: 0, made: [] };
  });
  await rollout(
    {
      environment,
      ...inCommands(scoring),
      sampling,
      expert: null,
      asksPolicy: true,
      // the client has a limit of its own
      maxSteps: Infinity,
      stopRepeating: false,
      admissibleOnly: false,
      policyMemory: false,
      parallel: atOnce,
      isLight: true,
      report(event) {
        if (event.kind !== 'episode-end') return;
        const score = scoreOf(event.trajectory);
        scores.set(event.number, score);
        ended?.(event.number, score);
      },
      ...(signal && { signal }),
    },
    attempts.filter(({ number }) => !scores.has(number)),
  );
  const all = tasks.map((_, number) => scores.get(number)!);
  return {
    episodes: all.filter((each) => 'task' in each),
    lost: all.filter((each) => 'fault' in each),
  };
}

function scoreOf({ task, end, fault = '', won, steps }: Trajectory): RemoteScore | LostGame {
  if (end === 'lost') return { id: task.id, fault };
  const sum = steps.reduce((rewards, { result }) => rewards + result.reward, 0);
  return { task, won, return: sum, steps: steps.length };
}

/** The policy for a rollout: it reads a picture and the task, and its numbers are a command in words. */
function inCommands({ policy, texts }: RemoteScoring): Pick<Rollout, 'policy' | 'texts'> {
  return {
    policy: {
      encode: null,
      decide: (questions, sampling) => policy.decide(questions, sampling),
      promptOf({ text, frames, arrays = {} }) {
        const [frame] = frames;
        if (frame) return texts.prompt({ text, arrays, frame });
        throw new EmacError('data', `${text}: the client sent no picture; let it send pictures`);
      },
    },
    texts: {
      prompt: () => '',
      target: (command) => command,
      read(answer, random) {
        const { action } = texts.read(answer, random);
        if (Array.isArray(action)) return { action: action.join(' '), actionStart: 0 };
        throw new EmacError('internal', 'remote robot: the answer holds no numbers');
      },
    },
  };
}
