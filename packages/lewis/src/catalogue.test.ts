import { describe, expect, it } from 'vitest';
import { catalogueOfListing, readCatalogue } from './catalogue.ts';
import { splitConcepts } from './splits.ts';
import { drawnCatalogue } from './world/things.ts';

const published = {
  toy: { owl: { train: ['o1', 'o2'], test: ['o3'] }, bear: { train: ['b1'], test: [] } },
  bag: { red: { train: ['r1'], test: ['r2'] } },
};

describe('a catalogue', () => {
  it('is read in the published layout, and is sorted', () => {
    const catalogue = readCatalogue(published);
    expect(catalogue.map(({ category, name }) => `${category}/${name}`)).toEqual([
      'bag/red',
      'toy/bear',
      'toy/owl',
    ]);
    expect(catalogue[2]).toEqual({ category: 'toy', name: 'owl', train: ['o1', 'o2'], test: ['o3'] });
  });

  it.each<[unknown, string]>([
    [[], 'catalogue must be an object, got []'],
    [{ toy: null }, 'toy must be an object, got null'],
    [{ toy: { owl: { train: ['a'] } } }, 'toy/owl/test must be a list of paths, got undefined'],
    [{ toy: { owl: { train: ['a', 1], test: [] } } }, 'toy/owl/train must be a list of paths, got ["a",1]'],
  ])('of %j is refused', (json, message) => expect(() => readCatalogue(json)).toThrow(message));

  it('of custom pictures trains on the first views and tests on two, as a game needs, if it can', () => {
    const six = ['6', '1', '3', '2', '5', '4'].map((number) => `dog/rex/${number}.JPG`);
    const catalogue = catalogueOfListing([
      ...six,
      'cup/mine/a.png',
      'cup/mine/b.jpeg',
      'cup/mine/notes.txt',
      'cup/lone/a.png',
    ]);
    expect(catalogue).toEqual([
      { category: 'cup', name: 'mine', train: ['cup/mine/a.png'], test: ['cup/mine/b.jpeg'] },
      {
        category: 'dog',
        name: 'rex',
        train: [1, 2, 3, 4].map((number) => `dog/rex/${number}.JPG`),
        test: ['dog/rex/5.JPG', 'dog/rex/6.JPG'],
      },
    ]);
    expect(catalogueOfListing(['mug/1.png', 'mug/2.png'], { category: 'cup' })).toEqual([
      { category: 'cup', name: 'mug', train: ['mug/1.png'], test: ['mug/2.png'] },
    ]);
  });

  it('refuses misplaced pictures, and an empty folder', () => {
    expect(() => catalogueOfListing(['a.png'])).toThrow(
      'must lie in category/concept/ or concept/, got "a.png"',
    );
    expect(() => catalogueOfListing(['a/b/c/d.png'])).toThrow('got "a/b/c/d.png"');
    expect(() => catalogueOfListing(['x/a.png', 'x/b.txt'])).toThrow('got 1 concepts with at most one');
  });
});

describe('the split', () => {
  const catalogue = drawnCatalogue();

  it('puts 65 % of each category into training: 47 of 72', () => {
    const { training, heldOut } = splitConcepts(catalogue, { seed: 23 });
    for (const shape of ['ball', 'cross'])
      expect(training.filter(({ category }) => category === shape)).toHaveLength(47);
    expect(training.length + heldOut.length).toBe(432);
    expect(training.filter((concept) => heldOut.includes(concept))).toEqual([]);
  });

  it('depends on the seed, not on the order', () => {
    const first = splitConcepts(catalogue, { seed: 23 }).training.map(
      ({ category, name }) => category + name,
    );
    const again = splitConcepts([...catalogue].reverse(), { seed: 23 }).training;
    expect(again.map(({ category, name }) => category + name).sort()).toEqual([...first].sort());
    const other = splitConcepts(catalogue, { seed: 24 }).training;
    expect(other.map(({ category, name }) => category + name)).not.toEqual(first);
  });

  it('puts one of two concepts on each side, and trains on a lone one', () => {
    const two = catalogue.slice(0, 2);
    const extreme = splitConcepts(two, { seed: 0, trainingShare: 1 });
    expect([extreme.training.length, extreme.heldOut.length]).toEqual([1, 1]);
    expect(splitConcepts(two.slice(1), { seed: 0 }).training).toHaveLength(1);
  });
});
