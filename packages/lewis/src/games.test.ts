import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { drawGames } from './games.ts';
import { splitConcepts } from './splits.ts';
import { drawnCatalogue } from './world/things.ts';

const { training, heldOut } = splitConcepts(drawnCatalogue(), { seed: 23 });
const draw = (seed: number) => drawGames(heldOut, { views: 'test', random: Random.fromSeed(seed) });
const conceptOf = (view: string) => view.split('/').slice(1, 3).join('/');

describe('games', () => {
  const games = draw(0);

  it('show another view of the same concept among others, all from the chosen part', () => {
    // 25 held-out concepts in each of 6 categories, 3 views for testing
    expect(games).toHaveLength(25 * 6 * 3);
    const known = new Set(heldOut.flatMap(({ test }) => test));
    const trained = new Set(training.map(({ category, name }) => `${category}/${name}`));
    for (const { candidates, label, image, category, concept } of games) {
      expect(candidates).toHaveLength(3);
      expect(candidates.every((view) => known.has(view))).toBe(true);
      expect(candidates).not.toContain(image);
      const concepts = candidates.map(conceptOf);
      expect(concepts[label]).toBe(`${category}/${concept}`);
      expect(new Set(concepts).size).toBe(3);
      expect(concepts.some((each) => trained.has(each))).toBe(false);
      // rivals of the same category, if there are enough
      expect(concepts.every((each) => each.startsWith(`${category}/`))).toBe(true);
    }
  });

  it('put the right candidate in every place equally often', () => {
    const counts = [0, 1, 2].map((place) => games.filter(({ label }) => label === place).length);
    // 150 each; the deviation of a binomial is √(450 · 2/9) = 10
    for (const count of counts) expect(Math.abs(count - 150)).toBeLessThan(40);
  });

  it('depend on the seed, and not on one another', () => {
    expect(draw(0)).toEqual(games);
    expect(draw(1)).not.toEqual(games);
    const images = new Map(
      drawGames(heldOut.slice(0, 25), { views: 'test', random: Random.fromSeed(0) }).map((game) => [
        game.image,
        game,
      ]),
    );
    const ball = games.filter(({ category }) => category === heldOut[0]!.category);
    // draws rivals of the same category only: other categories change nothing but the shuffle
    for (const { image, label } of ball)
      expect(images.get(image)!.candidates[images.get(image)!.label]).toBe(
        games.find((game) => game.image === image)!.candidates[label],
      );
  });

  it('take the most similar rivals and the least similar view of the same concept', () => {
    const concept = (name: string, train: string[]) => ({ category: 'c', name, train, test: [] });
    // similarity by number: 10 is near 11, its other views are 12 and 19
    const concepts = [
      concept('own', ['10', '12', '19']),
      concept('near', ['11', '40']),
      concept('nearer', ['50', '9']),
      concept('far', ['90', '80']),
    ];
    const similarity = (a: string, b: string) => -Math.abs(Number(a) - Number(b));
    const [game] = drawGames(concepts, { views: 'train', random: Random.fromSeed(3), similarity });
    expect(game!.image).toBe('10');
    expect(game!.candidates[game!.label]).toBe('19');
    expect([...game!.candidates].sort()).toEqual(['11', '19', '9']);
  });

  it('are refused with too few candidates or concepts; rivals may come from other categories', () => {
    const random = Random.fromSeed(0);
    expect(() => drawGames(heldOut, { views: 'test', random, candidates: 1 })).toThrow(
      'two candidates or more, got 1',
    );
    expect(() => drawGames(heldOut.slice(0, 2), { views: 'test', random })).toThrow(
      '3 candidates need as many concepts with a view of the kind "test", got 2',
    );
    const mixed = [heldOut[0]!, ...heldOut.filter(({ category }) => category === 'cross').slice(0, 2)];
    const [game] = drawGames(mixed, { views: 'all', random });
    expect(new Set(game!.candidates.map((view) => view.split('/')[1])).size).toBe(2);
  });
});
