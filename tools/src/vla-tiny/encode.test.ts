import { tabletop } from '@emac/tabletop';
import { vlaPrompt } from '@emac/vla';
import { describe, expect, it } from 'vitest';
import { pieces } from '../tiny-model/tokenizer.ts';
import { countingVocabulary } from '../tiny-model/counting-vocabulary.test.support.ts';
import { asData } from './action-words.ts';
import { encodeSample } from './encode.ts';
import { factCount, factsOf, understoodOf } from './facts.ts';
import { piecePattern } from './pieces.ts';

/** Every number as it is. */
const plain = {
  action: {
    mean: [],
    std: [],
    min: Array<number>(7).fill(-1),
    max: Array<number>(7).fill(1),
    q01: Array<number>(7).fill(-1),
    q99: Array<number>(7).fill(1),
    mask: [true, true, true, true, true, true, false],
  },
  proprio: null,
  num_transitions: 1,
  num_trajectories: 1,
} as unknown as Parameters<typeof encodeSample>[2];

const table = tabletop('tabletop/spatial/1');
table.begin({ task: 1, state: 7 });
const sample = {
  frame: { width: 1, height: 1, data: new Uint8Array(3) },
  prompt: vlaPrompt(table.text()),
  action: [-1, 0, 0.5, 0, 0, 0, -1],
  scene: table.scene(),
};

describe('pieces', () => {
  it("are words, one for the prompts' common text, and one for each action token", () => {
    const { prompt } = sample;
    const cut = pieces(`${prompt}<1><128>`, piecePattern);
    expect(cut.join('')).toBe(`${prompt}<1><128>`);
    expect(cut[0]).toBe('In: What action should the robot take to ');
    expect(cut.slice(-3)).toEqual(['?\nOut:', '<1>', '<128>']);
  });
});

describe('a sample', () => {
  const { vocabulary, nameOf } = countingVocabulary();
  const { ids, lessons, facts } = encodeSample(sample, vocabulary, plain);

  it('ends with seven action tokens, bins of 255 intervals counted from the end, and the end', () => {
    // −1 is bin 1, 0 lies between edges 127 and 128, 0.5 after edge ⌊0.75 · 255⌋ = 191; an open hand is 1 in the data
    const said = ['<1>', '<128>', '<192>', '<128>', '<128>', '<128>', '<256>'];
    expect(ids.slice(-8).map(nameOf)).toEqual([...said, 2]);
    expect(asData(sample.action)).toEqual([-1, 0, 0.5, 0, 0, 0, 1]);
  });

  it('teaches of each motion also the steps beside it, and shares sum to 1', () => {
    const at = (place: number) => lessons.filter(({ after }) => after === ids.length - 9 + place);
    // 0.25 is behind the edge ⌊0.625 · 255⌋ = 159, −0.25 behind ⌊0.375 · 255⌋ = 95, −0.75 behind ⌊0.125 · 255⌋ = 31
    const shares = (place: number) =>
      Object.fromEntries(at(place).map((each) => [nameOf(each.label), each.weight]));
    expect(shares(0)).toEqual({ '<1>': 0.9, '<32>': 0.1 });
    expect(shares(1)).toEqual({ '<128>': 0.8, '<96>': 0.1, '<160>': 0.1 });
    expect(shares(6)).toEqual({ '<256>': 1 });
    expect(at(1).map(({ kind }) => kind)).toEqual(['y', 'gate', 'gate']);
  });

  it('has a fact for every visual token', () => {
    expect(facts).toHaveLength(factCount);
    expect(factsOf(sample.scene).every((fact) => /^ \d\d?$/.test(fact))).toBe(true);
  });

  it('asks, after words of the sentence, for the places of the named bowl and the tray', () => {
    const { x } = sample.scene.things.find(({ name }) => name === 'bowl')!;
    // 32 steps over 72 cm
    expect(understoodOf(sample.scene)(' and')).toBe(` ${Math.floor(((x + 0.36) / 0.72) * 32)}`);
    expect(understoodOf(sample.scene)(' mug')).toBeNull();
  });
});
