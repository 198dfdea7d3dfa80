/**
 * One session of OpenEnv: an episode at a time of an environment, in the protocol's terms. Reward and done stand on the
 * envelope and, for clients that read them there, in the observation.
 */
import {
  isWon,
  type Episode,
  type Fact,
  type NumberArray,
  type Observation,
  type OpenedKind,
  type Step,
} from '@emac/core';
import { encodePng } from '@emac/images';
import { sourceOf, taskAt } from './tasks.ts';
import {
  OpenEnvError,
  type ActionData,
  type EnvelopeData,
  type ObservationData,
  type ResetData,
  type StateData,
} from './protocol.ts';

/** What a client can observe. */
export type Senses = 'text' | 'both';

export interface SessionOptions {
  readonly kind: Pick<OpenedKind, 'tasks' | 'begin' | 'maxSteps' | 'hasGoal'>;
  readonly observe: Senses;
  /** counts the resets without a seed, of all sessions, from 0 */
  readonly newNumber: () => number;
}

export interface Session {
  /** Begins an episode. Errors: `OpenEnvError`; those of the environment. */
  reset(data: ResetData): Promise<EnvelopeData>;
  /** Acts; after the end it returns the last observation again, with no reward. Errors: as `reset`. */
  step(action: ActionData): Promise<EnvelopeData>;
  state(): StateData;
  close(): Promise<void>;
}

interface UnderWay {
  readonly episode: Episode;
  readonly at: Pick<StateData, 'episode_id' | 'split' | 'index' | 'seed'>;
  steps: number;
  /** rewards so far */
  sum: number;
  /** null before the first action */
  last: Step | null;
}

export function openSession({ kind, observe, newNumber }: SessionOptions): Session {
  let underWay: UnderWay | null = null;
  const leave = async (): Promise<void> => {
    const left = underWay;
    underWay = null;
    await left?.episode.close();
  };
  return {
    async reset({ seed = null, split: asked, index = null, episode_id: name = null }) {
      const split = asked ?? 'train';
      const attempt = seed ?? newNumber();
      const number = index ?? numberIn(sourceOf(kind, split).count, attempt);
      const task = taskAt(kind, split, number);
      await leave();
      // equal seeds give equal chances, whoever asks; without a seed every attempt has its own
      const episode = await kind.begin(task, seed === null ? `attempt ${attempt}` : String(seed));
      underWay = {
        episode,
        at: { episode_id: name, split, index: number, seed },
        steps: 0,
        sum: 0,
        last: null,
      };
      return envelope(underWay, { kind, observe });
    },
    async step({ action }) {
      if (underWay === null)
        throw new OpenEnvError('EXECUTION_ERROR', 'no episode is under way; send a reset first');
      const isOver = hasEnded(underWay);
      if (!isOver) {
        const step = await underWay.episode.step(action);
        underWay.steps++;
        underWay.sum += step.reward;
        // clients wait for an end: an environment that forgets its limit is cut off here
        underWay.last =
          underWay.steps < kind.maxSteps || step.terminated ? step : { ...step, truncated: true };
      }
      return envelope(underWay, { kind, observe, isOver });
    },
    state: () => ({
      ...(underWay?.at ?? { episode_id: null, split: null, index: null, seed: null }),
      step_count: underWay?.steps ?? 0,
      task: underWay?.episode.task.id ?? null,
      max_steps: kind.maxSteps,
      done: underWay !== null && hasEnded(underWay),
    }),
    close: leave,
  };
}

/** A seed as the number of a task; all numbers are tasks where they have no end. */
function numberIn(count: number | null, seed: number): number {
  return count === null ? seed : seed % count;
}

function hasEnded({ last }: UnderWay): boolean {
  return last !== null && (last.terminated || last.truncated);
}

interface Shown extends Pick<SessionOptions, 'kind' | 'observe'> {
  /** the episode had ended before this action */
  readonly isOver?: boolean;
}

async function envelope(underWay: UnderWay, { kind, observe, isOver = false }: Shown): Promise<EnvelopeData> {
  const { episode, at, steps, sum, last } = underWay;
  const done = hasEnded(underWay);
  const reward = last === null ? null : isOver ? 0 : last.reward;
  const metadata = {
    ...factsOf(last),
    task: episode.task.id,
    ...at,
    step: steps,
    max_steps: kind.maxSteps,
    won: (last?.info.won ?? false) || (done && isWon(kind, { won: last!.info.won, return: sum })),
    truncated: last !== null && last.truncated && !last.terminated,
  };
  const seen = await shown(last?.observation ?? episode.first, observe);
  return { observation: { ...seen, reward, done, metadata }, reward, done, metadata };
}

/** The facts that an agent may know. */
function factsOf(last: Step | null): Readonly<Record<string, Fact>> {
  if (last === null) return {};
  const { private: _hidden, ...facts } = last.info;
  return facts;
}

type SeenData = Omit<ObservationData, 'reward' | 'done' | 'metadata'>;

async function shown(observation: Observation, observe: Senses): Promise<SeenData> {
  const { text, admissible, arrays = {} } = observation;
  // pictures that nobody sees are not drawn
  const frames = observe === 'text' ? [] : observation.frames;
  const pictures = await Promise.all(
    frames.map(async (frame) => Buffer.from(await encodePng(frame)).toString('base64')),
  );
  return {
    text,
    admissible: admissible && [...admissible],
    pictures,
    arrays: Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, nested(array)])),
  };
}

/** Numbers in nested lists, an axis a level; a single number for no axes. */
function nested({ shape, data }: NumberArray): unknown {
  const numbers: unknown[] = Array.from(data);
  if (shape.length === 0) return numbers[0];
  return shape.reduceRight<unknown[]>((parts, size, axis) => {
    if (axis === 0) return parts;
    const groups = shape.slice(0, axis).reduce((product, each) => product * each, 1);
    return Array.from({ length: groups }, (_, at) => parts.slice(at * size, (at + 1) * size));
  }, numbers);
}
