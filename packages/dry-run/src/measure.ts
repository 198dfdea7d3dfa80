/**
 * A short measurement of acting and updating on this machine. Slow work, such as a whole update with streamed layers,
 * is measured on one row and extrapolated. So are longer prompts after the time limit. An uncounted first row opens the
 * sessions, except with streamed layers, where every pass opens them.
 */
import { labelMethod, type JudgedPair, type Phase, type TrainingSettings } from '@emac/algorithms';
import type { Policy, Prompt, Sampling, Trainable } from '@emac/core';
import type { Student } from '@emac/model';
import { textOf } from '@emac/rollout';
import type { Sample } from './example.ts';
import type { Range } from './range.ts';

/** Times in milliseconds, of one each. */
export interface Measured {
  /** until everything was open */
  readonly opening: number;
  /** a step of the environment, and reading its picture, if it shows one */
  readonly encode: number;
  /** a command, at the first step and at the last possible one */
  readonly decide: { readonly first: number; readonly last: number };
  /** an update; null without training */
  readonly update: {
    readonly each: Range;
    /** rows of a whole update, and the number measured at once */
    readonly rows: number;
    readonly measuredRows: number;
  } | null;
  /** scoring a sample, without a gradient */
  readonly score: Range;
  /** sentences on the method of measurement */
  readonly how: readonly string[];
  /** bytes in use by this process: after opening, after acting, at most up to an update of usual prompts, and at most */
  readonly memory: {
    readonly opened: number;
    readonly acting: number;
    readonly usual: number;
    readonly peak: number;
  };
}

export interface Clock {
  /** milliseconds */
  readonly now: () => number;
}

export interface Subject {
  /** `layers`: where a language model's are; absent for a small network */
  readonly student: Policy & Trainable & Partial<Pick<Student, 'layers'>>;
  readonly sampling: Sampling;
  readonly samples: readonly Sample[];
  readonly last: Sample;
  /** prompts that are answered at once */
  readonly parallel: number;
  /** whether the policy is asked */
  readonly acts: boolean;
  /** null without training */
  readonly training: {
    readonly phase: Phase;
    /** samples of an update */
    readonly rows: number;
    readonly preference: TrainingSettings['preference'];
  } | null;
}

export interface Measuring extends Clock {
  /** time limit for measuring longer prompts, in milliseconds; the rest is extrapolated */
  readonly limit: number;
  /** bytes */
  readonly memory: () => { readonly resident: number; readonly peak: number };
}

export type Timed = Pick<Measured, 'decide' | 'update' | 'score' | 'how'> & {
  readonly memory: Omit<Measured['memory'], 'opened'>;
};

/** Errors: those of the policy. */
export async function measure(subject: Subject, measuring: Measuring): Promise<Timed> {
  const { now, limit, memory } = measuring;
  const until = now() + limit;
  const left = () => until - now();
  const longer = lengthOf(subject.student, subject.last) / lengthOf(subject.student, subject.samples[0]!);
  const how: string[] = [];
  let usual = 0;
  const counting = { now, left, longer, how, longest: () => (usual = memory().peak) };
  const decide = subject.acts ? await measureDecisions(subject, counting) : { first: 0, last: 0 };
  const acting = memory().resident;
  const trained = await measureUpdates(subject, counting);
  const { peak } = memory();
  return { decide, ...trained, how, memory: { acting, usual: usual === 0 ? peak : usual, peak } };
}

interface Counting extends Clock {
  /** milliseconds for measuring */
  readonly left: () => number;
  /** the last possible prompt against the first, in positions */
  readonly longer: number;
  readonly how: string[];
  /** an update of the longest prompts begins */
  readonly longest: () => void;
}

async function measureDecisions(
  { student, sampling, samples, last, parallel }: Subject,
  { now, left, longer, how }: Counting,
): Promise<Measured['decide']> {
  const answers = async (prompts: readonly Prompt[]): Promise<number> => {
    const since = now();
    const questions = prompts.map((prompt) => ({ prompt, allowed: null, random: null }));
    await student.decide(questions, withoutDraws(sampling));
    return (now() - since) / prompts.length;
  };
  const batch = Array.from({ length: parallel }, (_, index) => samples[index % samples.length]!.prompt);
  const one = await warmed(student, () => answers([samples[0]!.prompt]));
  const isShort = left() > one * parallel;
  if (isShort) await answers(batch);
  const first = isShort ? await answers(batch) : one;
  how.push(isShort ? `acting: ${parallel} prompts answered at once` : 'acting: one prompt answered');
  if (left() > first * longer * parallel) {
    how.push(`acting at the last step: ${parallel} prompts of maximum length`);
    return { first, last: await answers(batch.map(() => last.prompt)) };
  }
  how.push('acting at the last step: extrapolated by prompt length');
  return { first, last: first * longer };
}

/** Time of the second call, as the first opens sessions; with streamed layers, of the first. */
async function warmed(
  { layers }: Pick<Subject['student'], 'layers'>,
  work: () => Promise<number>,
): Promise<number> {
  const first = await work();
  return layers === 'streamed' ? first : work();
}

/** A sampled answer costs as much as a search with one beam. */
function withoutDraws(sampling: Sampling): Sampling {
  return sampling.kind === 'sample' ? { kind: 'search', beams: 1 } : sampling;
}

async function measureUpdates(
  { student, samples, last, training }: Subject,
  { now, left, longer, how, longest }: Counting,
): Promise<Pick<Measured, 'update' | 'score'>> {
  if (training === null) return { update: null, score: { least: 0, most: 0 } };
  const { rows } = training;
  const gradient = async (given: readonly Sample[]): Promise<number> => {
    const since = now();
    await gradientOf(student, given, training);
    return now() - since;
  };
  // equal samples would be computed once
  const many = (from: readonly Sample[]) =>
    Array.from({ length: rows }, (_, index) => ({ ...from[index % from.length]! }));
  const one = await warmed(student, () => gradient(samples.slice(0, 1)));
  const isWhole = left() > one * rows;
  // sessions of larger batches
  if (isWhole) await gradient(many(samples));
  const least = isWhole ? await gradient(many(samples)) : one * rows;
  how.push(
    isWhole
      ? `updating: one gradient of ${rows} samples`
      : `updating: a gradient of one sample, times the ${rows} of an update`,
  );
  const isLong = left() > least * longer;
  longest();
  const most = isLong ? await gradient(many([last])) : least * longer;
  how.push(
    isLong
      ? 'updating at most: the same with prompts of maximum length'
      : 'updating at most: extrapolated by prompt length',
  );
  const score = await measureScores({ student, samples }, { now, isWhole, longer });
  const each = { least, most: Math.max(least, most) };
  return { update: { each, rows, measuredRows: isWhole ? rows : 1 }, score };
}

/** Forwards alone. */
async function measureScores(
  { student, samples }: Pick<Subject, 'student' | 'samples'>,
  { now, isWhole, longer }: Clock & { readonly isWhole: boolean; readonly longer: number },
): Promise<Range> {
  const rows = samples
    .slice(0, isWhole ? samples.length : 1)
    .map(({ prompt, target }) => ({ prompt, answers: [target] }));
  const least = await warmed(student, async () => {
    const since = now();
    await student.score(rows);
    return (now() - since) / rows.length;
  });
  return { least, most: least * longer };
}

/** placeholder for the policy's rejected answer, where any text is one */
const anyText = ' look';

async function gradientOf(
  student: Subject['student'],
  samples: readonly Sample[],
  { phase, preference: options }: NonNullable<Subject['training']>,
): Promise<void> {
  const method = labelMethod(phase);
  if (method.over === 'answers') {
    const batch = samples.map(({ prompt, target: answer }) => ({ prompt, answer }));
    await method.learn(student).gradient([batch], 1);
    return;
  }
  const reference = { chosen: -1, rejected: -1 };
  const pairs = samples.map(({ prompt, target: chosen }): JudgedPair => ({
    prompt,
    chosen,
    rejected: student.promptOf ? chosen : anyText,
    reference,
  }));
  await method.learn(student, options).gradient([pairs], 1);
}

/** In tokens; numbers have no length. */
function lengthOf({ countPromptTokens }: Pick<Policy, 'countPromptTokens'>, { prompt }: Sample): number {
  return Math.max(1, countPromptTokens(textOf(prompt)));
}
