/** Makes lewis-tiny: `node tools/dist/lewis-tiny/make.js`, see `tiny-model/make.ts`. */
import { Random } from '@emac/core';
import { speakerPrompt, thingOf } from '@emac/lewis';
import { make } from '../tiny-model/make.ts';
import { encodeSample } from './encode.ts';
import { piecePattern } from './pieces.ts';
import { lewisSplit, samples } from './samples.ts';
import { textOf } from './speech.ts';
import { vague, wordsOf } from './words.ts';

const words = wordsOf(lewisSplit.training.map(({ train }) => thingOf(train[0]!)));
const named = [...Object.values(words).flat(), ...Object.values(vague)];

await make({
  name: 'lewis-tiny',
  sizes: { imageSize: 64, patchSize: 8, eyeLayers: 2, queryTokens: 8, textLayers: 3, feedForward: 256 },
  tokenizer: {
    *texts(count) {
      for (const shape of words.shape) yield speakerPrompt(shape);
      const stream = samples(Random.fromSeed('lewis-tiny tokenizer'));
      for (let made = 0; made < (count ?? 2000); made++) {
        const { prompt, answer } = stream.next().value;
        yield prompt;
        yield textOf(answer);
      }
    },
    merges: 100,
    minPieceCount: 2,
    always: ['yes', 'no', ' a', ' an', ...named.map((word) => ` ${word}`)],
    pattern: piecePattern,
  },
  samples,
  encode: encodeSample,
});
