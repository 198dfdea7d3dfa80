import { Random } from '@emac/core';
import { drawView, listenerQuestion, speakerPrompt, thingOf } from '@emac/lewis';
import { describe, expect, it } from 'vitest';
import { pieces } from '../tiny-model/tokenizer.ts';
import { countingVocabulary } from '../tiny-model/counting-vocabulary.test.support.ts';
import { encodeSample } from './encode.ts';
import { piecePattern } from './pieces.ts';
import { samples, type Sample } from './samples.ts';
import { speakerPieces, textOf } from './speech.ts';

const view = 'drawn/ball/red-striped-no/1000';
const seen = { thing: thingOf(view), frame: drawView(view) };
const cut = (text: string) => pieces(text, piecePattern);

function taught(sample: Pick<Sample, 'kind' | 'prompt' | 'answer'>) {
  const { vocabulary, nameOf } = countingVocabulary();
  const { ids, lessons, facts } = encodeSample({ ...seen, ...sample }, vocabulary);
  const named = lessons.map(({ label, kind, weight, after }) => ({
    said: nameOf(label),
    kind,
    weight,
    after: nameOf(ids[after]!),
  }));
  return { ids, lessons: named, facts: facts.map(nameOf) };
}

describe('pieces', () => {
  it('are few, and join to the answer', () => {
    const stream = samples(Random.fromSeed('pieces'));
    for (let made = 0; made < 300; made++) {
      const { prompt, answer } = stream.next().value;
      expect(cut(textOf(answer))).toEqual(answer.map(({ text }) => text));
      expect(cut(prompt).join('')).toBe(prompt);
      expect(cut(prompt).length + answer.length).toBeLessThan(34);
    }
  });

  it('are sentences in prompts and words in descriptions', () => {
    expect(cut(speakerPrompt('ball')).map((piece) => piece.slice(0, 12))).toEqual([
      ...['Provide two ', ' ball', ' in the imag', ' ball', ' so it can b', ' balls', '. Do NOT men'],
    ]);
    expect(cut(listenerQuestion('A photo of a red ball. The ball is red with no edge.'))).toEqual([
      ...[
        'Does this description "',
        'A photo of a',
        ' red',
        ' ball',
        '. The',
        ' ball',
        ' is',
        ' red',
        ' with',
      ],
      ...[' no', ' edge.', '" accurately describe the main subject in the image? Answer yes or no.'],
    ]);
  });
});

describe('the lessons of a sample', () => {
  it('include naming an attribute by its share, whatever this answer says', () => {
    const named = {
      colour: { word: 'red', share: 0.1 },
      pattern: { word: 'striped', share: 0.25 },
      edge: { word: 'no', share: 0.4 },
    };
    const said = { colour: 'coloured', pattern: 'striped', edge: 'some' };
    const answer = speakerPieces({ shape: 'ball', said, flaw: null, named });
    const { lessons, facts } = taught({ kind: 'speaker', prompt: speakerPrompt('ball'), answer });
    const gates = lessons.filter(({ kind }) => kind === 'gate').slice(0, 6);
    expect(gates.map(({ after, said, weight }) => [after, said, weight])).toEqual([
      ['<thinking>It is', ' red', 0.1],
      ['<thinking>It is', ' coloured', 0.9],
      [' and', ' striped', 0.25],
      [' and', ' patterned', 0.75],
      [', with', ' no', 0.4],
      [', with', ' some', 0.6],
    ]);
    expect(lessons.filter(({ kind }) => kind === 'repeated').map(({ said }) => said)).toEqual([
      ...[' coloured', ' ball', ' coloured', ' striped', ' some'],
    ]);
    expect(facts).toEqual([' ball', ' red', ' striped', ' no', 3, 3, 3, 3]);
  });

  it('after each word of a description whether all so far is true', () => {
    const prompt = listenerQuestion('A photo of a red ball. The ball is red and dotted with some edge.');
    const { lessons } = taught({ kind: 'question', prompt, answer: [{ text: 'no', kind: 'verdict' }] });
    expect(lessons.map(({ after, said, weight }) => [after, said, weight])).toEqual([
      [' red', 'yes', 0.3],
      [' ball', 'yes', 0.3],
      [' ball', 'yes', 0.3],
      [' red', 'yes', 0.3],
      [' dotted', 'no', 0.3],
      [' some', 'no', 0.3],
      ['" accurately describe the main subject in the image? Answer yes or no.', 'no', 1],
      ['no', 2, 1],
    ]);
  });
});
