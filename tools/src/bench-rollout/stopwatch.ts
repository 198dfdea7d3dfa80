/**
 * Measures where a rollout's time goes, by wrapping its policy, environment and texts. Waits of concurrent episodes
 * overlap, so time is not summed by episode. Every moment counts as deciding (an answer is awaited), else encoding (a
 * picture is awaited), else between. It also measures the busy time of this thread.
 */
import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import type { Environment, Episode, Policy, Question, Sampling, Speech } from '@emac/core';

/** The awaited work at a moment. */
export type Phase = 'deciding' | 'encoding' | 'between';

/** Work of the main thread, each call from its beginning until it returns or waits for the first time. */
export type Work = 'texts' | 'world' | 'drawing' | 'picture' | 'question';

export interface Stopwatch {
  /** the policy, with every call counted */
  policy(policy: Policy): Policy;
  environment(environment: Environment): Environment;
  texts(texts: Speech): Speech;
  /** runs a function of this thread */
  work<T>(kind: Work, run: () => T): T;
  /** totals so far */
  read(): Spent;
}

export interface Spent {
  /** milliseconds of the clock */
  readonly phases: Readonly<Record<Phase, number>>;
  /** of these, milliseconds in which this thread was busy */
  readonly busy: Readonly<Record<Phase, number>>;
  /** milliseconds of this thread; drawing is not part of the world's */
  readonly work: Readonly<Record<Work, number>>;
  /** every call of `decide`, in order */
  readonly batches: readonly Batch[];
  /** calls of `encode`, and pictures among them that were not seen before */
  readonly pictures: { readonly all: number; readonly distinct: number };
}

export interface Batch {
  readonly questions: readonly Question[];
  readonly sampling: Sampling;
}

/** The current phase and the time per phase; `waitFor` marks awaited work. */
function phaseClock() {
  const phases = { deciding: 0, encoding: 0, between: 0 };
  const busy = { deciding: 0, encoding: 0, between: 0 };
  const waits = { deciding: 0, encoding: 0 };
  let since = performance.now();
  let loop: EventLoopUtilization = performance.eventLoopUtilization();
  const turn = (): void => {
    const phase: Phase = waits.deciding > 0 ? 'deciding' : waits.encoding > 0 ? 'encoding' : 'between';
    const [now, loopNow] = [performance.now(), performance.eventLoopUtilization()];
    phases[phase] += now - since;
    busy[phase] += performance.eventLoopUtilization(loopNow, loop).active;
    [since, loop] = [now, loopNow];
  };
  const waitFor = async <T>(phase: 'deciding' | 'encoding', begin: () => Promise<T>): Promise<T> => {
    turn();
    waits[phase]++;
    try {
      return await begin();
    } finally {
      turn();
      waits[phase]--;
    }
  };
  return { phases, busy, turn, waitFor };
}

/** A stopwatch that runs from now on. */
export function startStopwatch(): Stopwatch {
  const work = { texts: 0, world: 0, drawing: 0, picture: 0, question: 0 };
  const batches: Batch[] = [];
  const keys = new Set<string>();
  let all = 0;
  const { phases, busy, turn, waitFor } = phaseClock();
  const timed = <T>(kind: Work, run: () => T): T => {
    const [start, drawn] = [performance.now(), work.drawing];
    try {
      return run();
    } finally {
      work[kind] += performance.now() - start - (kind === 'drawing' ? 0 : work.drawing - drawn);
    }
  };
  const episodeOf = (episode: Episode): Episode => {
    return { ...episode, step: (action) => timed('world', () => episode.step(action)) };
  };
  return {
    policy: (policy) => ({
      encode: async (frame) => {
        all++;
        const features = await waitFor('encoding', () => timed('picture', () => policy.encode!(frame)));
        keys.add(features.key);
        return features;
      },
      decide: (questions, sampling) => {
        batches.push({ questions, sampling });
        return waitFor('deciding', () => timed('question', () => policy.decide(questions, sampling)));
      },
      countPromptTokens: (text) => policy.countPromptTokens(text),
    }),
    environment: ({ tasks, begin }) => ({
      tasks,
      begin: async (task, seed) => episodeOf(await timed('world', () => begin(task, seed))),
    }),
    texts: (texts) => ({
      prompt: (moment) => timed('texts', () => texts.prompt(moment)),
      target: (...said) => texts.target(...said),
      read: (...answer) => texts.read(...answer),
    }),
    work: timed,
    read() {
      turn();
      return { phases, busy, work, batches, pictures: { all, distinct: keys.size } };
    },
  };
}
