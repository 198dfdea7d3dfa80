/**
 * One DPO update, from samples to changed parameters, as published and as the trainer does it: the same samples, engine,
 * loss and optimizer. As published, nothing is kept between updates: frames pass the vision model, the reference judges
 * chosen and rejected answers in two passes, every row has a prompt of its own, is padded to the longest, and has logits
 * everywhere. What is published stores processed images, so image processing is not part of it.
 */
import type { Backbone } from '@emac/backbone';
import type { Features, Frame, PreferenceGradient, PreferenceRow, Student } from '@emac/core';
import { float16ToFloat32, float32ToFloat16 } from '@emac/files';
import { createAdamW, type Optimizer } from '@emac/trainer';
import type { Pair } from './play.ts';

export const dpo = { beta: 0.1, mixRatio: 0.5 };
export const adamW = { betas: [0.9, 0.999], epsilon: 1e-8, weightDecay: 0.05 } as const;
export const learningRate = 1e-6;

export interface Policies {
  readonly student: Student;
  readonly reference: Student;
}

export type Update = () => Promise<PreferenceGradient>;

/** `policies` without any saving. */
export function publishedUpdate(policies: Policies, pairs: readonly Pair[], eye: Backbone): Update {
  const { student, reference } = policies;
  const images = pairs.map(({ frame }) => eye.imageProcessor.process(frame));
  const optimizer = optimizerOf(student);
  const means = async (rows: readonly Seen[], which: 'chosen' | 'rejected') => {
    const found = await reference.logProbabilities(rows.map((row) => ({ ...row, target: row[which] })));
    return found.map(({ sum, tokens }) => sum / tokens);
  };
  return async () => {
    const rows: Seen[] = [];
    for (const [place, pair] of pairs.entries()) {
      const output = float16ToFloat32(float32ToFloat16(await eye.features(images[place]!)));
      rows.push({ ...pair, features: { key: String(place), data: output } });
    }
    const chosen = await means(rows, 'chosen');
    const rejected = await means(rows, 'rejected');
    return step(student, optimizer, referenced(rows, { chosen, rejected }));
  };
}

/** Steady state: features and the reference's judgement are at hand. */
export async function savedUpdate(policies: Policies, pairs: readonly Pair[]): Promise<Update> {
  const { student, reference } = policies;
  const rows = await judged(reference, await seen(student, pairs));
  const optimizer = optimizerOf(student);
  return () => step(student, optimizer, rows);
}

/** Every frame is new and no pair is judged: what the first update on fresh samples takes, image processing included. */
export function firstUpdate(policies: Policies, pairs: readonly Pair[]): Update {
  const { student, reference } = policies;
  const optimizer = optimizerOf(student);
  let count = 0;
  return async () => {
    count++;
    const fresh = pairs.map((pair) => ({ ...pair, frame: marked(pair.frame, count) }));
    return step(student, optimizer, await judged(reference, await seen(student, fresh)));
  };
}

type Seen = Pair & { readonly features: Features };

async function seen(student: Student, pairs: readonly Pair[]): Promise<Seen[]> {
  const rows: Seen[] = [];
  for (const pair of pairs) rows.push({ ...pair, features: await student.features(pair.frame) });
  return rows;
}

/** As the trainer judges pairs when it stores them. */
async function judged(reference: Student, rows: readonly Seen[]): Promise<PreferenceRow[]> {
  const answers = rows.flatMap((row) => [row.chosen, row.rejected].map((target) => ({ ...row, target })));
  const means = (await reference.logProbabilities(answers)).map(({ sum, tokens }) => sum / tokens);
  const of = (place: number) => rows.map((_, row) => means[2 * row + place]!);
  return referenced(rows, { chosen: of(0), rejected: of(1) });
}

interface Judgement {
  readonly chosen: ArrayLike<number>;
  readonly rejected: ArrayLike<number>;
}

function referenced(rows: readonly Seen[], { chosen, rejected }: Judgement): PreferenceRow[] {
  const weight = 1 / rows.length;
  return rows.map((row, place) => ({
    ...row,
    weight,
    referenceChosen: chosen[place]!,
    referenceRejected: rejected[place]!,
  }));
}

async function step(
  student: Student,
  optimizer: Optimizer,
  rows: readonly PreferenceRow[],
): Promise<PreferenceGradient> {
  const found = await student.preferenceGradient(rows, dpo);
  optimizer.step(found.gradients, learningRate);
  student.commit();
  return found;
}

function optimizerOf(student: Student): Optimizer {
  return createAdamW(student.parameters(), adamW);
}

/** The frame with one number changed, which no cache has seen. */
function marked(frame: Frame, mark: number): Frame {
  const data = Uint8Array.from(frame.data);
  data[mark % data.length]! ^= 1 + (mark % 7);
  return { ...frame, data };
}
