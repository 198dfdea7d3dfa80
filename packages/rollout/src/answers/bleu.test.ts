/** Expected values are worked out by hand from the definition. */
import { describe, expect, it } from 'vitest';
import { bleu } from './bleu.ts';

const words = (text: string) => (text === '' ? [] : text.split(' '));
const of = (...pairs: (readonly [answer: string, reference: string])[]) =>
  bleu(pairs.map(([answer, reference]) => ({ answer: words(answer), reference: words(reference) })));

describe('bleu', () => {
  it.each([
    ['look', 'look'],
    ['go to cabinet 1', 'go to cabinet 1'],
    ['take box 3 from coffeetable 1', 'take box 3 from coffeetable 1'],
  ])('is 1 for %s equal to the reference', (answer, reference) => {
    expect(of([answer, reference])).toBe(1);
  });

  it('smooths the precisions of longer n-grams', () => {
    // 1-grams go, to, cabinet of 4; 2-grams 2 of 3, 3-grams 1 of 2, 4-grams 0 of 1, each plus one
    const expected = ((3 / 4) * (3 / 4) * (2 / 3) * (1 / 2)) ** (1 / 4);
    expect(of(['go to cabinet 2', 'go to cabinet 1'])).toBeCloseTo(expected, 12);
  });

  it('penalizes short answers', () => {
    // all n-grams there; 2 words for 4: e^(1 − 4/2)
    expect(of(['go to', 'go to cabinet 1'])).toBeCloseTo(Math.exp(-1), 12);
  });

  it("clips a word's count to its count in the reference", () => {
    // Papineni's example: `the` is there twice; 2-grams 0 of 6, 3-grams 0 of 5, 4-grams 0 of 4, each plus one
    const expected = ((2 / 7) * (1 / 7) * (1 / 6) * (1 / 5)) ** (1 / 4);
    const answer = 'the the the the the the the';
    expect(of([answer, 'the cat is on the mat'])).toBeCloseTo(expected, 12);
  });

  it('counts n-grams over all answers together', () => {
    // 1-grams 1 + 4 of 5; nothing longer in `look`; 2-grams 3 of 3, 3-grams 2 of 2, 4-grams 1 of 1
    expect(of(['look', 'look'], ['go to desk 1', 'go to desk 1'])).toBe(1);
    const expected = (4 / 5) ** (1 / 4);
    expect(of(['look', 'inventory'], ['go to desk 1', 'go to desk 1'])).toBeCloseTo(expected, 12);
  });

  it('is 0 without a correct word, and null without answers', () => {
    expect(of(['look', 'inventory'])).toBe(0);
    expect(of(['', 'inventory'])).toBe(0);
    expect(bleu([])).toBe(null);
  });
});
