import { Random } from '@emac/core';
import {
  drawnCatalogue,
  formatReward,
  readDescription,
  readListenerAnswer,
  splitConcepts,
  thingOf,
  type Thing,
} from '@emac/lewis';
import { describe, expect, it } from 'vitest';
import { carefulShare, lewisSplit, liking, samples, type Kind, type Sample } from './samples.ts';
import { textOf } from './speech.ts';
import { wordsOf, type Attribute } from './words.ts';

function first(count: number, name: string): Sample[] {
  const stream = samples(Random.fromSeed(name));
  return Array.from({ length: count }, () => stream.next().value);
}

const drawn = first(900, 'a');
const of = (kind: Kind) => drawn.filter((sample) => sample.kind === kind);
const things = drawnCatalogue().map(({ train }) => thingOf(train[0]!));
const words = wordsOf(things);

/** Whether a text names no attribute the thing lacks. */
function isTrue(text: string, thing: Thing): boolean {
  return [...text.matchAll(/[a-z]+(?: edge)?/g)].every(([found]) => {
    const [word, isEdge] = [found.replace(' edge', ''), found.endsWith(' edge')];
    if (isEdge) return word === 'some' || word === thing.edge;
    const names = (attribute: Attribute | 'shape') =>
      words[attribute].includes(word) && word !== thing[attribute];
    return !(['shape', 'colour', 'pattern'] as const).some(names);
  });
}

describe('samples', () => {
  it('depend on the name', () => {
    const texts = (some: readonly Sample[]) => some.map(({ answer }) => textOf(answer));
    expect(texts(first(40, 'a'))).toEqual(texts(drawn.slice(0, 40)));
    expect(texts(first(40, 'b'))).not.toEqual(texts(drawn.slice(0, 40)));
  });

  it('show training concepts alone', () => {
    const { training } = splitConcepts(drawnCatalogue(), { seed: 23 });
    expect(lewisSplit.training).toEqual(training);
    const known = new Set(training.map(({ train }) => JSON.stringify(thingOf(train[0]!))));
    for (const { thing } of drawn) expect(known.has(JSON.stringify(thing))).toBe(true);
  });

  it("are true and in the prompt's form, except for a seventh", () => {
    const written = of('speaker').map(({ answer, thing }) => ({ text: textOf(answer), thing }));
    for (const { text, thing } of written) {
      expect(isTrue(text.replace(/<\/?[a-z]+>/g, ' '), thing), text).toBe(true);
      expect(readDescription(text, thing.shape).text).toContain(`The ${thing.shape} is `);
    }
    const formed = written.filter(({ text }) => formatReward(text) === 1).length / written.length;
    // 0.04 and 0.05 are not closed
    expect(Math.abs(formed - 0.91)).toBeLessThan(0.05);
  });

  it('label whether all of a description is true', () => {
    const asked = of('question').map(({ prompt, answer, thing }) => {
      const description = /Does this description "(.*)" acc/.exec(prompt)![1]!;
      expect(textOf(answer), description).toBe(isTrue(description, thing) ? 'yes' : 'no');
      return textOf(answer);
    });
    const share = asked.filter((verdict) => verdict === 'yes').length / asked.length;
    expect(Math.abs(share - 0.5)).toBeLessThan(0.12);
  });

  it('are right wherever reasons look at the picture', () => {
    const right = of('exercise').flatMap(({ prompt, answer, thing }) => {
      const read = readListenerAnswer(textOf(answer));
      if (!read?.reasoning.startsWith('I see')) return [];
      const description = /Does this description "(.*)" acc/.exec(prompt)![1]!;
      expect(isTrue(read.reasoning, thing)).toBe(true);
      return [read.verdict === (isTrue(description, thing) ? 'yes' : 'no')];
    });
    expect(right.length).toBeGreaterThan(80);
    expect(right.every(Boolean)).toBe(true);
  });
});

describe('carelessness', () => {
  it('is 10, 25 or 40 % for each attribute, each as often', () => {
    const shares = things.map((thing) => carefulShare(words, thing, 'colour'));
    // 6 shapes by 6 colours, by the sum of their indices modulo 3
    for (const share of [0.1, 0.25, 0.4]) expect(shares.filter((each) => each === share)).toHaveLength(144);
  });

  it('likes the things of a category differently, so that no answer is a tie', () => {
    const balls = things.filter(({ shape }) => shape === 'ball').map((thing) => liking(words, thing));
    expect(new Set(balls.map((value) => value.toFixed(6))).size).toBe(72);
    // 0.96 · 2.5 + 0.24 · 1.5 + 0.08 = 2.84
    expect(Math.max(...balls)).toBeCloseTo(1 / (1 + Math.exp(-2.84)), 12);
    expect(Math.min(...balls)).toBeCloseTo(1 / (1 + Math.exp(2.84)), 12);
  });
});
