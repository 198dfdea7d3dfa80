import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taskProbabilities, type CurriculumWeighting } from './weights.ts';

const successes = [0, 0.25, 0.5, 0.75, 1];
const of = (weighting: Partial<CurriculumWeighting>, shares = successes): readonly number[] =>
  taskProbabilities(shares, {
    formula: 'half',
    temperature: 1,
    floor: 0,
    floorRule: 'exact',
    ...weighting,
  });

const near = (found: readonly number[], expected: readonly number[], digits = 4): void => {
  expect(found).toHaveLength(expected.length);
  found.forEach((value, place) => expect(value).toBeCloseTo(expected[place]!, digits));
};

describe('probabilities of tasks with successes 0, ¼, ½, ¾ and 1', () => {
  it('prefer the hardest by the paper’s formula', () => {
    // e^1, e^½, 1, e^−½, e^−1 over their sum, 6.3411
    near(of({ formula: 'paper', temperature: 0.5 }), [0.4287, 0.26, 0.1577, 0.0956, 0.058]);
  });

  it('are in proportion to failures in the branch dev-ppo', () => {
    near(of({ formula: 'failures' }), [0.4, 0.3, 0.2, 0.1, 0], 8);
  });

  it('prefer only a task at one half with the wrapper, except for its floor', () => {
    // 0.02 · 4 + 1 = 1.08: 0.02 / 1.08 and 1 / 1.08
    near(
      of({ formula: 'distance', floor: 0.1, floorRule: 'renormalized' }),
      [0.0185, 0.0185, 0.9259, 0.0185, 0.0185],
    );
    // 1 / (½ + 1e−9) against 1 / 1e−9
    expect(of({ formula: 'distance' })[0]! * 1e9).toBeCloseTo(2, 6);
  });

  it('are near one half with the manager’s formula', () => {
    // exp(−3.125) = 0.0439 and exp(−12.5) = 3.7e−6 beside 1
    const found = of({ temperature: 0.02 });
    near(found, [3.4e-6, 0.0404, 0.9192, 0.0404, 3.4e-6]);
    expect(found[0]! * 1e6).toBeCloseTo(3.4, 1);
  });

  it('keep their proportions above a floor that is exact', () => {
    // 0.02 twice, and 0.96 for 0.0404 : 0.9192 : 0.0404
    const scale = 0.96 / 1.08787;
    near(of({ temperature: 0.02, floor: 0.1 }), [0.02, 0.043937 * scale, scale, 0.043937 * scale, 0.02]);
  });

  it('also raise tasks that the floor of others pushes below it', () => {
    // shares 0.5, 0.3, 0.2: least ⅓ · 0.75 = 0.25; raising 0.2 leaves 0.75 for 0.5 : 0.3, and 0.28 is above. With 0.9 it is 0.3: 0.2625 is below
    const shares = [0.5, 0.7, 0.8];
    near(of({ formula: 'failures', floor: 0.75 }, shares), [0.46875, 0.28125, 0.25], 8);
    near(of({ formula: 'failures', floor: 0.9 }, shares), [0.4, 0.3, 0.3], 8);
  });

  it('are equal with a floor of 1', () => {
    near(of({ temperature: 0.02, floor: 1 }), [0.2, 0.2, 0.2, 0.2, 0.2], 12);
  });
});

const weightings = fc.record({
  formula: fc.constantFrom('half', 'paper', 'failures', 'distance'),
  temperature: fc.double({ min: 1e-3, max: 100, noNaN: true }),
  floor: fc.double({ min: 0, max: 1, noNaN: true }),
}) as fc.Arbitrary<Pick<CurriculumWeighting, 'formula' | 'temperature' | 'floor'>>;
const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 });

describe('probabilities', () => {
  it('sum to 1, and none is below the floor, for any formula', () => {
    fc.assert(
      fc.property(weightings, shares, (weighting, successes) => {
        const found = of(weighting, successes);
        expect(found.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9);
        const least = weighting.floor / successes.length;
        expect(Math.min(...found)).toBeGreaterThanOrEqual(least * (1 - 1e-9));
      }),
    );
  });

  it('renormalized are at most a share of the floor below it', () => {
    fc.assert(
      fc.property(weightings, shares, (weighting, successes) => {
        const found = of({ ...weighting, floorRule: 'renormalized' }, successes);
        expect(found.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9);
        const least = weighting.floor / successes.length / (1 + weighting.floor);
        expect(Math.min(...found)).toBeGreaterThanOrEqual(least * (1 - 1e-9));
      }),
    );
  });

  it.each([
    [{ temperature: 0 }, /temperature: must be above 0, got 0/],
    [{ temperature: NaN }, /temperature/],
    [{ floor: 1.5 }, /floor: must be from 0 to 1/],
    [{ formula: 'toString' as 'half' }, /formula: must be one of half, paper/],
    [{ floorRule: 'none' as 'exact' }, /floor rule/],
  ])('are rejected for %j', (weighting, message) => {
    expect(() => of(weighting)).toThrow(message);
  });
});
