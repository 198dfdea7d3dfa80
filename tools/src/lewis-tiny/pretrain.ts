/**
 * Trains lewis-tiny; see `tiny-model/pretrain.ts`.
 * Usage: node tools/dist/lewis-tiny/pretrain.js OUT --samples 200e3 [--sessions 2]
 */
import { pretrain } from '../tiny-model/pretrain.ts';
import { lewisTinyConfig } from './config.ts';
import { encodeSample } from './encode.ts';
import { samples } from './samples.ts';

await pretrain(
  {
    name: 'lewis-tiny',
    config: lewisTinyConfig,
    *samples(random, vocabulary) {
      for (const sample of samples(random)) yield encodeSample(sample, vocabulary);
      throw new Error('samples end never');
    },
  },
  '200e3',
);
