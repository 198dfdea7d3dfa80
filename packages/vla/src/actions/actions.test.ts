import { describe, expect, it } from 'vitest';
import type { ActionStatistics } from '../statistics/dataset-statistics.ts';
import { decodeAction, encodeAction, isActionToken } from './action-tokens.ts';
import { readAnswer } from './answers.ts';
import { gripperToSigned, invertGripper, noOperation, toLibero } from './gripper.ts';
import { vlaPrompt } from './prompt.ts';

describe('action tokens', () => {
  // numpy's digitize and linspace, as published
  it.each([
    [-1.2, 31999, -0.99607843],
    [-1, 31999, -0.99607843],
    [-0.999, 31999, -0.99607843],
    [-0.5, 31936, -0.50196078],
    [-0.1, 31885, -0.10196078],
    [0, 31872, 0],
    [0.1, 31859, 0.10196078],
    [0.5, 31808, 0.50196078],
    [0.999, 31745, 0.99607843],
    [1, 31744, 0.99607843],
    [1.3, 31744, 0.99607843],
  ])('of %f are %i, read as %f', (value, id, decoded) => {
    expect(encodeAction([value])).toEqual([id]);
    expect(decodeAction([id])[0]).toBeCloseTo(decoded, 8);
  });

  it('use id 31744 for 1 only, and decode it as 31745', () => {
    expect(decodeAction([31744])).toEqual(decodeAction([31745]));
  });

  it('outside the 256 count as the nearest one', () => {
    expect(decodeAction([0, 32063])).toEqual(decodeAction([31744, 31999]));
    expect([31743, 31744, 31999, 32000].map((id) => isActionToken(id))).toEqual([false, true, true, false]);
  });

  it('reject invalid numbers', () => {
    expect(() => encodeAction([0, NaN])).toThrow(/dimension 1 is not a number/);
    expect(encodeAction([Infinity, -Infinity])).toEqual([31744, 31999]);
  });
});

describe('the gripper', () => {
  it('converts 0 … 1 to −1 … 1, to a sign, and back', () => {
    expect(gripperToSigned([7, 0.75], { binarize: false })).toEqual([7, 0.5]);
    expect([0, 0.2, 0.5, 0.51, 1].map((x) => gripperToSigned([7, x])[1])).toEqual([-1, -1, 0, 1, 1]);
    expect(invertGripper([7, 1])).toEqual([7, -1]);
  });

  it('is open at −1 for LIBERO and at 1 in data, and neither at one half', () => {
    expect([1, 0, 0.5].map((x) => toLibero([0.3, x])[1])).toEqual([-1, 1, 0]);
    // an open gripper in the data's convention and no motion
    expect(toLibero([0, 0, 0, 0, 0, 0, 1])).toEqual(noOperation);
  });
});

describe('the prompt', () => {
  it('has the instruction in lower case', () => {
    expect(vlaPrompt('Pick up the Black Bowl')).toBe(
      'In: What action should the robot take to pick up the black bowl?\nOut:',
    );
  });
});

describe('answers', () => {
  const statistics: ActionStatistics = {
    mean: Array<number>(7).fill(0),
    std: Array<number>(7).fill(1),
    min: Array<number>(7).fill(-4),
    max: Array<number>(7).fill(4),
    q01: [-2, -1, -1, -1, -1, -1, 0],
    q99: [2, 1, 1, 1, 1, 1, 1],
    mask: [true, true, true, true, true, true, false],
  };
  const rules = { statistics };
  // 31808 is 0.50196078 = 128/255, and 31745 254/255
  const ids = [31808, 31808, 31872, 31872, 31872, 31872, 31745];

  it('become actions of the robot if the end token is at place 7', () => {
    const read = readAnswer([...ids, 2], rules);
    expect(read).toMatchObject({ kind: 'action', strangers: 0 });
    const [first, second, third, , , , gripper] = read.action;
    expect(first).toBeCloseTo((2 * 128) / 255, 12);
    expect(second).toBeCloseTo(128 / 255, 12);
    expect(third).toBeCloseTo(0, 12);
    // nearly 1: open
    expect(gripper).toBe(-1);
  });

  it.each([
    ['no end', [...ids, 31872]],
    ['an early end', [...ids.slice(0, 5), 2, 0, 0]],
    ['an early end and another at place 7', [...ids.slice(0, 6), 2, 2]],
    ['a late end', [...ids, 31872, 2]],
    ['nothing', []],
    ['as many tokens as numbers, without the end', ids],
  ])('are no operation with %s', (_case, said) => {
    expect(readAnswer(said, rules)).toEqual({ kind: 'malformed', action: noOperation });
  });
});
