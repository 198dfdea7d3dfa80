import { expect, it } from 'vitest';
import { placesOf, tells, wordsOf } from './named-places.ts';

it('reads words of identifiers, texts and templates, and no comments', () => {
  const source = "// kto\nconst trainGraphGPO = `to ${'gspo'} by simpo`; /* orpo */ f['./muon.ts'];";
  const words = wordsOf(source);
  const told = ['graphgpo', 'gspo', 'simpo', 'muon', 'kto', 'orpo'].filter((name) =>
    words.some((each) => tells(each, name)),
  );
  expect(told).toEqual(['graphgpo', 'gspo', 'simpo', 'muon']);
});

it('takes no part of a word for a name', () => {
  expect(['worksheet', 'bcc', 'graph'].some((word) => tells([word], 'bc') || tells([word], 'graphgpo'))).toBe(
    false,
  );
});

it('tells the files of a name from the others that name it', () => {
  const files = new Map([
    ['src/kto.ts', wordsOf('export const ktoLoss = 1;')],
    ['src/list.ts', wordsOf("import { ktoLoss } from './kto.ts';")],
    ['src/dpo.ts', wordsOf('export const dpo = 1;')],
  ]);
  expect(placesOf(files, 'kto')).toEqual({ own: ['src/kto.ts'], others: ['src/list.ts'] });
});
