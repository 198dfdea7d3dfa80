/**
 * How many of training's own answers were right, by tens of updates: a speaker's descriptions that were understood, a listener's yes and no. Mean of the
 * seeds, and the lowest and highest of them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { successChart, type Point } from '../experiments/chart.ts';

export interface TrainedRole {
  readonly name: string;
  /** a run of each seed, all of the same length */
  readonly runs: readonly string[];
}

const together = 10;

export function learningChart(roles: readonly TrainedRole[]): string {
  return successChart(
    'Answers that were right, by updates (chance: speaker 1/3, listener 1/2)',
    roles.map(({ name, runs }) => ({ name, points: pointsOf(runs.map(accuracies)) })),
  );
}

interface Rewards {
  /** of a speaker */
  readonly reward_accuracy?: number;
  /** of a listener */
  readonly reward_consistency?: number;
}

function accuracies(run: string): number[] {
  const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const { reward_accuracy, reward_consistency } = JSON.parse(line) as Rewards;
    return (reward_accuracy ?? reward_consistency)!;
  });
}

function pointsOf(seeds: readonly (readonly number[])[]): Point[] {
  const updates = Math.min(...seeds.map(({ length }) => length));
  return Array.from({ length: Math.floor(updates / together) }, (_, part) => {
    const from = part * together;
    const means = seeds.map((seed) => mean(seed.slice(from, from + together)));
    const label = `${from + 1}–${from + together}`;
    return { label, value: mean(means), low: Math.min(...means), high: Math.max(...means) };
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
