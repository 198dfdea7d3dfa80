/** The metrics of an update's steps. */
import { describe, expect, it } from 'vitest';
import { stepMeasures } from './measures.ts';

const read = { action: 1, actionStart: 0 };
const steps = {
  answers: [],
  readings: [{ ...read, penalty: -0.5 }, read, { ...read, action: null }, read],
  finished: [],
};

describe('the penalties of an update', () => {
  it('are a mean over its steps, with the share of answers that cost one', () => {
    expect(stepMeasures(steps, { penalizes: true })).toMatchObject({
      fallback_share: 1 / 4,
      malformed_share: 1 / 4,
      mean_penalty: -0.5 / 4,
    });
  });

  it('are reported if answers may have penalties, even without any, and not otherwise', () => {
    const readings = [read, read];
    const none = { malformed_share: 0, mean_penalty: 0 };
    expect(stepMeasures({ ...steps, readings }, { penalizes: true })).toMatchObject(none);
    for (const name of Object.keys(none)) expect(stepMeasures(steps, {})).not.toHaveProperty(name);
  });
});
