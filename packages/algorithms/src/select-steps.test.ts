import { describe, expect, it } from 'vitest';
import { selectSteps, type LabelledStep } from './select-steps.ts';

const features = { data: new Float32Array(1), key: 'blank' };

function steps(
  ...told: readonly (readonly [own: string, label: string | null, observation: string])[]
): LabelledStep[] {
  return told.map(([own, label, observation], index) => ({
    ...{
      gameId: 'g',
      round: 0,
      episode: 0,
      index,
      features,
      text: `${index}`,
      own,
      label,
      command: own,
      observation,
    },
  }));
}

const indexes = (selected: readonly LabelledStep[]) => selected.map(({ index }) => index);

describe('selectSteps', () => {
  const loop = steps(
    ['go a', 'go b', 'empty'],
    ['go a', 'go b', 'nothing'],
    ['go a', 'go b', 'nothing'],
    ['go a', 'go b', 'nothing'],
  );

  it('keeps every step by default, and each state of a loop once where states are to be distinct', () => {
    expect(indexes(selectSteps(loop, { keep: 'all' }))).toEqual([0, 1, 2, 3]);
    // states: start; after 'go a'/'empty'; after 'go a'/'nothing', which comes twice
    expect(indexes(selectSteps(loop, { keep: 'distinct' }))).toEqual([0, 1, 2]);
  });

  it('keeps a second visit where the expert has something else to do', () => {
    const visits = steps(
      ['go sink', 'go sink', 'empty'],
      ['go desk', 'go desk', 'a cup'],
      ['go sink', 'go sink', 'empty'],
      ['clean cup', 'clean cup', 'clean'],
    );
    expect(indexes(selectSteps(visits, { keep: 'distinct' }))).toEqual([0, 1, 2, 3]);
  });

  it('keeps what leads to the first departure from the expert and a few steps after it', () => {
    const path = steps(['a', 'a', ''], ['b', null, ''], ['c', 'x', ''], ['d', 'x', ''], ['x', 'x', '']);
    expect(indexes(selectSteps(path, { keep: 'departure', after: 0 }))).toEqual([0, 1, 2]);
    expect(indexes(selectSteps(path, { keep: 'departure', after: 1 }))).toEqual([0, 1, 2, 3]);
    expect(indexes(selectSteps(path.slice(0, 2), { keep: 'departure', after: 1 }))).toEqual([0, 1]);
  });
});
