/**
 * Trains rl-tiny; see `tiny-model/pretrain.ts`.
 * Usage: node tools/dist/rl-tiny/pretrain.js OUT --samples 150e3 [--sessions 2]
 */
import { pretrain } from '../tiny-model/pretrain.ts';
import { rlTinyConfig } from './config.ts';
import { encodeSample } from './encode.ts';
import { samples } from './samples.ts';

await pretrain(
  {
    name: 'rl-tiny',
    config: rlTinyConfig,
    *samples(random, vocabulary) {
      for (const sample of samples(random)) yield encodeSample(sample, vocabulary);
      throw new Error('samples end never');
    },
  },
  '150e3',
);
