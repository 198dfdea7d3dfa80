import { loadTokenizer } from '@emac/backbone';
import { shippedModelFolder } from '@emac/settings';
import { expect, it } from 'vitest';
import { spelledWords } from './action-words.ts';

const tokenizer = loadTokenizer(`${shippedModelFolder('emma-tiny')!}/tokenizer.json`);

it('finds the words that emma-tiny spells, in the order of their first use', () => {
  // " f" "il" "l", " " "A", " p" "ou" "r", " in" "to", " " "B"
  expect(spelledWords(tokenizer, ['fill A', 'pour A into B', 'fill B'])).toEqual([
    'fill',
    'A',
    'pour',
    'into',
    'B',
  ]);
});

it('finds none among words of household games and numbers', () => {
  const actions = [
    'go to drawer 1',
    'take keychain 1 from cabinet 2',
    'put mug 1 in/on shelf 3',
    '12',
    '100',
  ];
  expect(spelledWords(tokenizer, actions)).toEqual([]);
});

it('finds a word that the tokenizer gives back in another form, and lets few long pieces be', () => {
  const parts = ['water', 'melon'];
  const melons = {
    encode: () => [0, 1],
    decode: (ids: readonly number[]) => ids.map((id) => parts[id]).join(''),
  };
  const whole = { ...tokenizer, ...melons };
  expect(spelledWords(whole, ['watermelon'])).toEqual([]);
  expect(spelledWords(whole, ['Wassermelone'])).toEqual(['Wassermelone']);
});
