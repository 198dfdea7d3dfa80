/**
 * Trains vla-tiny; see `tiny-model/pretrain.ts`.
 * Usage: node tools/dist/vla-tiny/pretrain.js OUT --samples 200e3 [--sessions 2]
 */
import { pretrain } from '../tiny-model/pretrain.ts';
import { demonstratedStatistics } from './action-words.ts';
import { vlaTinyConfig } from './config.ts';
import { encodeSample } from './encode.ts';
import { samples } from './samples.ts';

const statistics = demonstratedStatistics();
await pretrain(
  {
    name: 'vla-tiny',
    config: vlaTinyConfig,
    *samples(random, vocabulary) {
      for (const sample of samples(random)) yield encodeSample(sample, vocabulary, statistics);
      throw new Error('samples end never');
    },
  },
  '200e3',
);
