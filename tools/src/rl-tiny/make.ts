/** Makes rl-tiny: `node tools/dist/rl-tiny/make.js`, see `tiny-model/make.ts`. */
import { Random } from '@emac/core';
import { make } from '../tiny-model/make.ts';
import { encodeSample } from './encode.ts';
import { piecePattern } from './pieces.ts';
import { gameShares, samples } from './samples.ts';

const numbers = Array.from({ length: 32 }, (_, number) => String(number));

await make({
  name: 'rl-tiny',
  sizes: {
    // a cell of `MiniGrid-DoorKey-6x6` is one patch
    imageSize: 168,
    patchSize: 28,
    eyeLayers: 2,
    queryTokens: 12,
    textLayers: 3,
    feedForward: 256,
  },
  tokenizer: {
    *texts(count) {
      const stream = samples(Random.fromSeed('rl-tiny tokenizer'));
      for (let made = 0; made < (count ?? 4000); made++) {
        const { prompt, answer } = stream.next().value;
        yield prompt;
        yield answer;
      }
    },
    merges: 200,
    minPieceCount: 2,
    always: numbers.flatMap((number) => [number, ` ${number}`]),
    pattern: piecePattern,
  },
  environments: [...gameShares.keys()],
  samples,
  encode: encodeSample,
});
