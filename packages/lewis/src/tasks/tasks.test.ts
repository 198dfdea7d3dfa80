import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { drawnCatalogue } from '../world/things.ts';
import { drawPairs } from './pairs.ts';
import { identificationResult, recognitionResult } from './results.ts';

describe('pairs', () => {
  const concepts = drawnCatalogue();
  const pairs = drawPairs(concepts, { views: 'train', random: Random.fromSeed(5) });
  const of = (view: string) => view.split('/').slice(1, 3);

  it('show the same concept in half, and another category in two fifths of the others', () => {
    expect(pairs).toHaveLength(432 * 5);
    for (const { query, reference, isSame, category } of pairs) {
      expect(query).not.toBe(reference);
      expect(String(of(query)) === String(of(reference))).toBe(isSame);
      expect(of(reference)[0]).toBe(category);
    }
    const negatives = pairs.filter(({ isSame }) => !isSame);
    const elsewhere = negatives.filter(({ query, category }) => of(query)[0] !== category);
    // deviations: √(¼ / 2160) = 0.011 and √(0.24 / 1080) = 0.015
    expect(Math.abs(negatives.length / pairs.length - 0.5)).toBeLessThan(0.05);
    expect(Math.abs(elsewhere.length / negatives.length - 0.4)).toBeLessThan(0.06);
  });

  it('are refused without enough concepts or views', () => {
    const one = concepts.filter(({ category }) => category === 'ball').slice(0, 2);
    const all = drawPairs(one, {
      views: 'test',
      random: Random.fromSeed(0),
      otherCategoryShare: 1,
      positiveShare: 0,
    });
    expect(all.every(({ isSame }) => !isSame)).toBe(true);
    expect(() => drawPairs(one.slice(1), { views: 'test', random: Random.fromSeed(0) })).toThrow('got 1');
  });
});

describe('results', () => {
  it('are the published JSON', () => {
    const items = [
      { label: 0, predicted: 0, image: 'a' },
      { label: 1, predicted: 2, image: 'b' },
    ];
    expect(identificationResult({ seed: 23 }, items)).toEqual({
      config: { seed: 23 },
      metrics: { accuracy: 0.5, correct: 1, total: 2 },
      results: items,
    });
    expect(identificationResult({}, []).metrics).toEqual({ accuracy: null, correct: 0, total: 0 });
  });

  it('separate positives and negatives; an answer that does not parse is wrong', () => {
    const items = [
      { isSame: true, saidSame: true },
      { isSame: true, saidSame: false },
      { isSame: true, saidSame: null },
      { isSame: false, saidSame: false },
      { isSame: false, saidSame: null },
    ];
    expect(recognitionResult({}, items).metrics).toEqual({
      accuracy: 2 / 5,
      correct: 2,
      total: 5,
      positive_accuracy: 1 / 3,
      negative_accuracy: 1 / 2,
    });
  });
});
