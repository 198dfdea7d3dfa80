import { Random, type Frame } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { readDescription } from '../description.ts';
import { drawGames } from '../games.ts';
import { formatReward, lengthReward } from '../rewards/speaker.ts';
import { scoreCandidates } from '../scores.ts';
import { drawView } from './draw.ts';
import { agreement, drawnCatalogue, thingOf, trueDescription } from './things.ts';

const catalogue = drawnCatalogue();

/** Counts pixels by colour. */
function countsOf({ data }: Frame): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = 0; at < data.length; at += 3) {
    const key = data.slice(at, at + 3).join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

describe('the drawn world', () => {
  it('has 6 · 6 · 4 · 3 concepts with 8 views, each with a unique description', () => {
    expect(catalogue).toHaveLength(432);
    expect(new Set(catalogue.flatMap(({ train, test }) => [...train, ...test])).size).toBe(432 * 8);
    const texts = catalogue.map(({ train }) => trueDescription(thingOf(train[0]!)));
    expect(new Set(texts).size).toBe(432);
    for (const text of texts) {
      expect(formatReward(text)).toBe(1);
      expect(lengthReward(readDescription(text, 'thing'))).toBe(0.1);
    }
  });

  it('is always won by a perfect speaker and listener', () => {
    const games = drawGames(catalogue, { views: 'test', random: Random.fromSeed(1) });
    expect(games).toHaveLength(1296);
    for (const { image, category, candidates, label } of games) {
      const { text } = readDescription(trueDescription(thingOf(image)), category);
      const agreements = candidates.map((view) => agreement(text, thingOf(view)));
      expect(agreements[label]).toBe(1);
      expect(scoreCandidates(agreements).predicted).toBe(label);
      expect(agreements.filter((value) => value === 1)).toHaveLength(1);
    }
  });

  it('judges a description attribute by attribute', () => {
    const thing = thingOf('drawn/ball/red-striped-black/0');
    expect(agreement('The ball is red and striped with black edge.', thing)).toBe(1);
    expect(agreement('A photo of a red ball', thing)).toBe(0.5);
    expect(agreement('The ball is red, no, blue and striped with black edge.', thing)).toBe(0.75);
    expect(agreement('', thing)).toBe(0);
    expect(() => thingOf('drawn/ball/pink-striped-black/0')).toThrow('got "drawn/ball/pink-striped-black/0"');
  });

  it("draws a thing's own colours only, on one ground", () => {
    const red = '208,32,40';
    const plain = countsOf(drawView('drawn/ball/red-plain-no/0'));
    expect([...plain.keys()].filter((key) => key !== red)).toHaveLength(1);
    // a disc with a radius from 0.28 to 0.4 of 64 pixels
    expect(plain.get(red)).toBeGreaterThan(Math.PI * 17.9 ** 2 * 0.95);
    expect(plain.get(red)).toBeLessThan(Math.PI * 25.6 ** 2 * 1.05);
    const edged = countsOf(drawView('drawn/ball/red-plain-black/0'));
    // the rim takes 1 − 0.8² = 0.36 of the disc
    const [body, rim] = [edged.get(red)!, edged.get('16,16,16')!];
    expect(Math.abs(rim / (body + rim) - 0.36)).toBeLessThan(0.05);
    for (const pattern of ['striped', 'dotted', 'checked']) {
      const counts = countsOf(drawView(`drawn/box/blue-${pattern}-no/0`));
      expect(counts.get('250,250,250')).toBeGreaterThan(100);
      expect(counts.get('36,80,200')).toBeGreaterThan(300);
    }
  });

  it('draws every view differently, but the same each time, at any size', () => {
    const views = catalogue.slice(0, 80).flatMap(({ train, test }) => [...train, ...test]);
    const pictures = views.map((view) => Buffer.from(drawView(view, 32).data).toString('latin1'));
    expect(new Set(pictures).size).toBe(640);
    expect(drawView(views[0]!, 32)).toEqual(drawView(views[0]!, 32));
    const { width, height, data } = drawView(views[0]!, 48);
    expect([width, height, data.length]).toEqual([48, 48, 48 * 48 * 3]);
    expect(() => drawView(views[0]!, 8)).toThrow('16 pixels a side or more, got 8');
  });

  it('keeps things inside their pictures', () => {
    for (const { test } of catalogue.slice(0, 432)) {
      const { data } = drawView(test[0]!, 32);
      const at = (x: number, y: number) => data.slice((y * 32 + x) * 3, (y * 32 + x) * 3 + 3).join();
      expect(new Set([at(0, 0), at(31, 0), at(0, 31), at(31, 31)]).size).toBe(1);
    }
  });
});
