import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanObservation } from './observation.ts';

describe('cleanObservation', () => {
  it('removes the arrival in both forms, and trailing blanks', () => {
    expect(cleanObservation('You arrive at loc 12. The fridge 1 is closed. ')).toBe(
      'The fridge 1 is closed.',
    );
    expect(cleanObservation('You arrive at shelf 1. On the shelf 1, you see a bowl 1.')).toBe(
      'On the shelf 1, you see a bowl 1.',
    );
  });

  it('keeps an arrival without further text, and every other text', () => {
    expect(cleanObservation('You arrive at loc 7. ')).toBe('You arrive at loc 7.');
    expect(cleanObservation('You arrive at loc 7')).toBe('You arrive at loc 7');
    expect(cleanObservation('Nothing happens.')).toBe('Nothing happens.');
    expect(cleanObservation('')).toBe('');
  });

  it('is idempotent', () => {
    const piece = fc.constantFrom('You arrive at loc 1.', 'You arrive at desk 1. ', ' ', '\n', 'x', '.');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => all.join('')),
        ),
        (text) => {
          expect(cleanObservation(cleanObservation(text))).toBe(cleanObservation(text));
        },
      ),
    );
  });
});
