/** Makes vla-tiny: `node tools/dist/vla-tiny/make.js`, see `tiny-model/make.ts`. Its tokenizer is learned from the suites' sentences. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tasksOf } from '@emac/tabletop';
import { vlaPrompt, writeStatistics, type DatasetStatistics } from '@emac/vla';
import { make } from '../tiny-model/make.ts';
import { demonstratedStatistics } from './action-words.ts';
import { encodeSample } from './encode.ts';
import { actionPieces, coordinatePieces, piecePattern } from './pieces.ts';
import { samples } from './samples.ts';

let demonstrated: DatasetStatistics | undefined;
const statistics = () => (demonstrated ??= demonstratedStatistics());

await make({
  name: 'vla-tiny',
  sizes: {
    imageSize: 112,
    patchSize: 14,
    eyeLayers: 2,
    queryTokens: 12,
    textLayers: 3,
    feedForward: 256,
  },
  tokenizer: {
    texts: () =>
      (['spatial', 'object', 'goal', 'long'] as const).flatMap((suite) =>
        tasksOf(suite).map(({ text }) => vlaPrompt(text)),
      ),
    merges: 100,
    minPieceCount: 1,
    always: coordinatePieces,
    last: actionPieces,
    pattern: piecePattern,
  },
  samples,
  encode: (sample, vocabulary) => encodeSample(sample, vocabulary, statistics()),
  finish: (folder) =>
    writeFileSync(
      join(folder, 'dataset_statistics.json'),
      writeStatistics({ 'tabletop/spatial': statistics() }),
    ),
});
