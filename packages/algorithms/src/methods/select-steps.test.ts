import type { TrajectoryStep } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { selectSteps, type SelectedStep } from './select-steps.ts';

function steps(
  ...told: readonly (readonly [own: string, label: string | null, observation: string])[]
): TrajectoryStep[] {
  return told.map(([own, label, text]) => {
    const observation = { text, frames: [], admissible: null };
    return {
      observation,
      prompt: null,
      answer: null,
      own,
      label: label === null ? { kind: 'unusable', reason: 'none' } : { kind: 'action', command: label },
      action: own,
      actor: 'policy',
      result: { observation, reward: 0, terminated: false, truncated: false, info: { won: false } },
    };
  });
}

const indexes = (selected: readonly SelectedStep[]) => selected.map(({ index }) => index);

describe('selectSteps', () => {
  const loop = steps(
    ['go a', 'go b', 'empty'],
    ['go a', 'go b', 'nothing'],
    ['go a', 'go b', 'nothing'],
    ['go a', 'go b', 'nothing'],
  );

  it('keeps every step by default, and each state of a loop once with `distinct`', () => {
    expect(indexes(selectSteps(loop, { keep: 'all' }))).toEqual([0, 1, 2, 3]);
    // states: start; after 'go a'/'empty'; after 'go a'/'nothing' (twice)
    expect(indexes(selectSteps(loop, { keep: 'distinct' }))).toEqual([0, 1, 2]);
  });

  it('distinguishes states by numeric observations, if any, rather than by equal words', () => {
    const told = steps(...[0, 1, 2, 3, 4].map(() => ['move', 'move', 'reach the square'] as const), [
      'move',
      'turn',
      'reach the square',
    ]);
    // two steps ahead, then against a wall
    const seen = told.map((step, place) => {
      const data = Int32Array.of(Math.min(place, 2));
      return { ...step, observation: { ...step.observation, arrays: { cell: { shape: [1], data } } } };
    });
    expect(indexes(selectSteps(told, { keep: 'distinct' }))).toEqual([0, 1, 5]);
    expect(indexes(selectSteps(seen, { keep: 'distinct' }))).toEqual([0, 1, 2, 5]);
  });

  it("keeps a second visit if the expert's label differs", () => {
    const visits = steps(
      ['go sink', 'go sink', 'empty'],
      ['go desk', 'go desk', 'a cup'],
      ['go sink', 'go sink', 'empty'],
      ['clean cup', 'clean cup', 'clean'],
    );
    expect(indexes(selectSteps(visits, { keep: 'distinct' }))).toEqual([0, 1, 2, 3]);
  });

  it('keeps the steps up to the first departure from the expert and a few more', () => {
    const path = steps(['a', 'a', ''], ['b', null, ''], ['c', 'x', ''], ['d', 'x', ''], ['x', 'x', '']);
    expect(indexes(selectSteps(path, { keep: 'departure', after: 0 }))).toEqual([0, 1, 2]);
    expect(indexes(selectSteps(path, { keep: 'departure', after: 1 }))).toEqual([0, 1, 2, 3]);
    expect(indexes(selectSteps(path.slice(0, 2), { keep: 'departure', after: 1 }))).toEqual([0, 1]);
  });
});
