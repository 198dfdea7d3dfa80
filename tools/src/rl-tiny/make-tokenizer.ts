/**
 * Learns rl-tiny's tokenizer from prompts and answers of all its games.
 * Usage: node tools/dist/rl-tiny/make-tokenizer.js OUT [--samples 4000]
 */
import { parseArgs } from 'node:util';
import { Random } from '@emac/core';
import { writeTokenizer } from '../tiny-model/write-tokenizer.ts';
import { piecePattern } from './pieces.ts';
import { samples } from './samples.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { samples: { type: 'string', default: '4000' } },
});
const [out] = positionals;
if (!out) throw new Error('usage: make-tokenizer OUT [--samples N]');

function* texts(count: number): Generator<string> {
  const stream = samples(Random.fromSeed('rl-tiny tokenizer'));
  for (let made = 0; made < count; made++) {
    const { prompt, answer } = stream.next().value;
    yield prompt;
    yield answer;
  }
}

const numbers = Array.from({ length: 32 }, (_, number) => String(number));
writeTokenizer(out, texts(Number(values.samples)), {
  merges: 200,
  minPieceCount: 2,
  always: numbers.flatMap((number) => [number, ` ${number}`]),
  pattern: piecePattern,
});
