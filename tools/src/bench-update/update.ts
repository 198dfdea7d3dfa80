/**
 * One DPO update from samples to changed parameters, in the published way and in the learner's: with the same samples,
 * engine, loss and optimizer. The published way caches nothing between updates: frames pass the vision model, and the
 * reference judges chosen and rejected answers in two passes. Every row has its own prompt, is padded to the longest,
 * and has logits at all positions. The published code stores processed images, so image processing is excluded.
 */
import type { Backbone } from '@emac/backbone';
import {
  promptOf,
  type Features,
  type Frame,
  type Gradient,
  type GradientRow,
  type ScoredRow,
} from '@emac/core';
import { float16ToFloat32, float32ToFloat16 } from '@emac/files';
import { preferenceLossOf } from '@emac/losses';
import type { Student } from '@emac/model';
import { createAdamW, type Optimizer } from '@emac/optim';
import type { Pair } from './play.ts';

export const dpo = { beta: 0.1, mixRatio: 0.5 };
export const adamW = { betas: [0.9, 0.999], epsilon: 1e-8, weightDecay: 0.05 } as const;
export const learningRate = 1e-6;

export interface Policies {
  readonly student: Student;
  readonly reference: Student;
}

export type Update = () => Promise<Gradient>;

/** `policies` without any saving. */
export function publishedUpdate(policies: Policies, pairs: readonly Pair[], eye: Backbone): Update {
  const { student, reference } = policies;
  const images = pairs.map(({ frame }) => eye.imageProcessor.process(frame));
  const optimizer = optimizerOf(student);
  const means = async (rows: readonly Seen[], which: 'chosen' | 'rejected') => {
    const found = await reference.score(rows.map((row) => ({ ...scoredRow(row), answers: [row[which]] })));
    return found.map(([answer]) => mean(answer!));
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

/**
 * All frames are new and no pair is judged: the time of the first update on fresh samples, image processing included.
 */
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
  for (const pair of pairs) rows.push({ ...pair, features: await student.encode!(pair.frame) });
  return rows;
}

/** As a learner judges pairs when it stores them. */
async function judged(reference: Student, rows: readonly Seen[]): Promise<GradientRow[]> {
  const found = await reference.score(rows.map(scoredRow));
  const of = (place: number) => found.map((answers) => mean(answers[place]!));
  return referenced(rows, { chosen: of(0), rejected: of(1) });
}

function scoredRow({ features, text, chosen, rejected }: Seen): ScoredRow {
  return { prompt: promptOf([features], text), answers: [chosen, rejected] };
}

function mean(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

interface Judgement {
  readonly chosen: ArrayLike<number>;
  readonly rejected: ArrayLike<number>;
}

function referenced(rows: readonly Seen[], { chosen, rejected }: Judgement): GradientRow[] {
  const weight = 1 / rows.length;
  return rows.map((row, place) => ({
    ...scoredRow(row),
    weight,
    constants: { referenceChosen: chosen[place]!, referenceRejected: rejected[place]! },
  }));
}

async function step(student: Student, optimizer: Optimizer, rows: readonly GradientRow[]): Promise<Gradient> {
  const found = await student.gradient(rows, preferenceLossOf(dpo));
  optimizer.step(found.gradients, learningRate);
  student.commit();
  return found;
}

function optimizerOf(student: Student): Optimizer {
  return createAdamW(student.groups, adamW);
}

/** The frame with one changed number, unknown to every cache. */
function marked(frame: Frame, mark: number): Frame {
  const data = Uint8Array.from(frame.data);
  data[mark % data.length]! ^= 1 + (mark % 7);
  return { ...frame, data };
}
