/**
 * Learns lewis-tiny's tokenizer from its prompts and answers.
 * Usage: node tools/dist/lewis-tiny/make-tokenizer.js OUT
 */
import { Random } from '@emac/core';
import { speakerPrompt, thingOf } from '@emac/lewis';
import { writeTokenizer } from '../tiny-model/write-tokenizer.ts';
import { piecePattern } from './pieces.ts';
import { lewisSplit, samples } from './samples.ts';
import { textOf } from './speech.ts';
import { vague, wordsOf } from './words.ts';

const [out] = process.argv.slice(2);
if (!out) throw new Error('usage: make-tokenizer OUT');

const words = wordsOf(lewisSplit.training.map(({ train }) => thingOf(train[0]!)));

function* texts(count: number): Generator<string> {
  for (const shape of words.shape) yield speakerPrompt(shape);
  const stream = samples(Random.fromSeed('lewis-tiny tokenizer'));
  for (let made = 0; made < count; made++) {
    const { prompt, answer } = stream.next().value;
    yield prompt;
    yield textOf(answer);
  }
}

const named = [...Object.values(words).flat(), ...Object.values(vague)];
writeTokenizer(out, texts(2000), {
  merges: 100,
  minPieceCount: 2,
  always: ['yes', 'no', ' a', ' an', ...named.map((word) => ` ${word}`)],
  pattern: piecePattern,
});
