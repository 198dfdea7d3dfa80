/** What a trial shows: how long each activity took, how much of it there was, a prompt with its answer, and memory. */
import { EmacError, type GradientRow, type Prompt } from '@emac/core';
import type { Expected, Listener, Trial } from '@emac/opening';
import { textOf } from '@emac/rollout';

export type Activity = 'opening' | 'evaluating' | 'showing' | 'measuring' | 'playing' | 'learning';

/** A prompt as the policy reads it, and the answer that it gives or learns. */
export interface Shown {
  readonly prompt: Prompt;
  readonly target: string;
  readonly tokens: number;
}

/** Tokens of what grows with the steps of an episode, at the first step and at the last possible one. */
export interface Growth {
  readonly first: number;
  /** of the trial */
  readonly mean: number;
  readonly last: number;
}

export interface Recorded {
  readonly milliseconds: (activity: Activity) => number;
  /** steps, attempts or samples of training */
  readonly played: number;
  /** rows of gradients, or gradients of a small network */
  readonly learned: number;
  /** steps or samples of evaluations, of the expert that is shown before training, and of other play */
  readonly evaluated: number;
  readonly shown: number;
  readonly stepped: number;
  /** null if the policy neither answered nor learned */
  readonly example: Shown | null;
  /** null where prompts do not grow, or nobody asked */
  readonly prompts: Growth | null;
  readonly requests: Growth | null;
  /** bytes in use when the first gradient began; null without one */
  readonly acting: number | null;
  /** what the run says when it begins */
  readonly notes: readonly string[];
}

export interface Recorder {
  readonly trial: Trial;
  readonly listener: Listener;
  /** the whole work; known once everything is open */
  expected(): Expected;
  /** after the trial */
  recorded(): Recorded;
}

export interface Recording extends Pick<Trial, 'size' | 'episodes'> {
  /** null: opening tells it */
  readonly expected: Expected | null;
  readonly now: () => number;
  /** bytes */
  readonly resident: () => number;
}

export function recorder({ expected: before, now, resident, ...budget }: Recording): Recorder {
  let work = before;
  const expected = (): Expected => {
    if (!work) throw new EmacError('internal', 'dry run: nothing was opened');
    return work;
  };
  const tally = tallyOf(expected, now);
  return {
    expected,
    trial: { ...budget, opened: (told) => (work = told), ...trialOf(tally, resident) },
    listener: listenerOf(tally),
    recorded: () => recordedIn(tally),
  };
}

type Tally = ReturnType<typeof tallyOf>;

/** What a trial has shown so far. */
function tallyOf(expected: () => Expected, now: () => number) {
  return {
    expected,
    watch: stopwatch(now),
    count: { played: 0, learned: 0, evaluated: 0, shown: 0, stepped: 0 },
    /** of the longest episode */
    steps: 1,
    prompts: growth(),
    requests: growth(),
    /** the first answer, and the first row of a gradient */
    answer: null as Shown | null,
    row: null as Shown | null,
    acting: null as number | null,
    notes: [] as string[],
  };
}

function trialOf(tally: Tally, resident: () => number): Omit<Trial, 'size' | 'episodes' | 'opened'> {
  const { expected, count, prompts, requests } = tally;
  const { turnTo, activity } = tally.watch;
  return {
    attempting: (attempts) => (count.played = attempts),
    acting: () => ['playing', 'learning', 'measuring'].includes(activity()) && turnTo('playing'),
    answered(prompt, { text, tokens }) {
      tally.answer ??= { prompt, target: text, tokens: tokens.length };
      const { maxTextTokens, policy } = expected();
      if (maxTextTokens !== null) prompts.seen(policy.countPromptTokens(textOf(prompt)));
    },
    learning(rows) {
      const { labels, policy } = expected();
      tally.acting ??= resident();
      // the rows of a small network cost next to nothing
      count.learned += policy.layers === null ? 1 : rows.length;
      tally.row ??= labels && rowShown(rows[0]!, labels);
      turnTo('learning');
    },
    requested: (request) => requests.seen(expected().expert?.promptTokens?.(request) ?? 0),
  };
}

function listenerOf(tally: Tally): Listener {
  const { expected, count, notes } = tally;
  const { turnTo, activity } = tally.watch;
  // a dataset is read while it is learned from
  const between = () => (expected().noun === 'sample' ? 'learning' : 'playing');
  const counted = { evaluating: 'evaluated', showing: 'shown' } as const;
  const stepped = () => count[counted[activity() as keyof typeof counted] ?? 'stepped']++;
  const passed = (kind: string) => {
    if (kind === 'update') turnTo(between());
    if (kind === 'probe') turnTo(between(), 'measuring');
  };
  return {
    note: (line) => notes.push(line),
    begin: (part) =>
      turnTo(part.startsWith('evaluation') ? 'evaluating' : part === 'expert' ? 'showing' : between()),
    step({ step }) {
      tally.steps = Math.max(tally.steps, step);
      stepped();
    },
    advance: () => expected().noun === 'sample' && stepped(),
    training(event) {
      passed(event.kind);
      if (event.kind !== 'step') return;
      count.played++;
      tally.steps = Math.max(tally.steps, event.index + 1);
    },
    offline: ({ kind }) => passed(kind),
    reinforced(line) {
      if (line.phase === 'ppo') count.played = Number(line['environment_steps']);
    },
  };
}

function recordedIn({ expected, watch, count, steps, answer, row, ...tally }: Tally): Recorded {
  watch.turnTo('opening');
  const { maxTextTokens, maxSteps } = expected();
  return {
    ...count,
    prompts: tally.prompts.over({ steps, maxSteps, limit: maxTextTokens ?? Infinity }),
    requests: tally.requests.over({ steps, maxSteps, limit: Infinity }),
    milliseconds: watch.milliseconds,
    example: row ?? answer,
    acting: tally.acting,
    notes: tally.notes,
  };
}

function rowShown(
  { prompt, answers: [answer] }: Pick<GradientRow, 'prompt' | 'answers'>,
  { countAnswerTokens }: NonNullable<Expected['labels']>,
): Shown | null {
  return typeof answer === 'string' ? { prompt, target: answer, tokens: countAnswerTokens(answer) } : null;
}

/** Time by activity: each lasts until the next one begins. */
function stopwatch(now: () => number) {
  const spent = new Map<Activity, number>();
  let [current, since]: [Activity, number] = ['opening', now()];
  return {
    activity: () => current,
    milliseconds: (activity: Activity) => spent.get(activity) ?? 0,
    /** `was`: what the time since the last turn went into */
    turnTo(next: Activity, was = current) {
      const at = now();
      spent.set(was, (spent.get(was) ?? 0) + at - since);
      [current, since] = [next, at];
    },
  };
}

interface Length {
  readonly steps: number;
  readonly maxSteps: number;
  readonly limit: number;
}

/** Every step adds as many tokens, up to a limit. */
function growth() {
  let [first, most]: [number | null, number] = [null, 0];
  let [sum, count] = [0, 0];
  return {
    seen(tokens: number) {
      first ??= tokens;
      most = Math.max(most, tokens);
      sum += tokens;
      count++;
    },
    over({ steps, maxSteps, limit }: Length): Growth | null {
      if (first === null) return null;
      const each = steps > 1 ? (most - first) / (steps - 1) : 0;
      return { first, mean: sum / count, last: Math.round(Math.min(limit, first + each * (maxSteps - 1))) };
    },
  };
}
