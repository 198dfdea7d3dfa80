/**
 * Learns vla-tiny's tokenizer from the suite's sentences.
 * Usage: node tools/dist/vla-tiny/make-tokenizer.js OUT
 */
import { tasksOf } from '@emac/tabletop';
import { vlaPrompt } from '@emac/vla';
import { writeTokenizer } from '../tiny-model/write-tokenizer.ts';
import { actionPieces, coordinatePieces, piecePattern } from './pieces.ts';

const [out] = process.argv.slice(2);
if (!out) throw new Error('usage: make-tokenizer OUT');
const sentences = (['spatial', 'object', 'goal', 'long'] as const).flatMap((suite) =>
  tasksOf(suite).map(({ text }) => vlaPrompt(text)),
);
writeTokenizer(out, sentences, {
  merges: 100,
  minPieceCount: 1,
  always: coordinatePieces,
  last: actionPieces,
  pattern: piecePattern,
});
