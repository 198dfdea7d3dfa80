import fc from 'fast-check';
import { expect, it } from 'vitest';
import { temperatureOf } from './shared-settings.ts';

const temperatures = fc.double({ min: 0.01, max: 10, noNaN: true });
const ofUpdates = fc
  .integer({ min: 1, max: 2000 })
  .chain((updates) => fc.tuple(fc.integer({ min: 0, max: updates - 1 }), fc.constant(updates)));

it('a temperature without a final one, or with an equal one, is the same in every update, to the bit', () => {
  fc.assert(
    fc.property(temperatures, ofUpdates, (temperature, [update, updates]) => {
      expect(temperatureOf({ temperature }, update, updates)).toBe(temperature);
      const final = { temperature, finalTemperature: temperature };
      expect(temperatureOf(final, update, updates)).toBe(temperature);
    }),
  );
});

it('a final temperature is reached in the last of several updates, to the bit, and values between lie between', () => {
  fc.assert(
    fc.property(temperatures, temperatures, ofUpdates, (temperature, finalTemperature, [update, updates]) => {
      const both = { temperature, finalTemperature };
      expect(temperatureOf(both, 0, updates)).toBe(temperature);
      expect(temperatureOf(both, updates - 1, updates)).toBe(updates === 1 ? temperature : finalTemperature);
      const between = temperatureOf(both, update, updates);
      expect(between).toBeGreaterThanOrEqual(Math.min(temperature, finalTemperature) * (1 - 1e-12));
      expect(between).toBeLessThanOrEqual(Math.max(temperature, finalTemperature) * (1 + 1e-12));
    }),
  );
});

it('it goes evenly', () => {
  const fifths = [0, 1, 2, 3, 4, 5].map((update) =>
    temperatureOf({ temperature: 1, finalTemperature: 0.5 }, update, 6),
  );
  [1, 0.9, 0.8, 0.7, 0.6, 0.5].forEach((wanted, update) => expect(fifths[update]).toBeCloseTo(wanted, 12));
});
