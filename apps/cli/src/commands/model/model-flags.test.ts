/** A setting of the model that a configuration file may give is also a flag. */
import { grpoSchema, modelSchema, ppoSchema, speechSchema, trainSchema } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { isSetting } from '../../options/configured.ts';
import type { OptionTable } from '../../options/option.ts';
import { collectCommand } from '../collection/collect.ts';
import { evalCommand } from '../evaluation/eval.ts';
import { serveCommand } from '../serve.ts';
import { trainCommand } from '../training/train.ts';

type Shape = Readonly<Record<string, unknown>>;

const within = (group: string, shape: Shape) => Object.keys(shape).map((name) => `${group}.${name}`);

const reached = (options: OptionTable) =>
  Object.values(options).flatMap((option) => (isSetting(option) ? option.paths : []));

const ofTraining = [
  ...within('model', trainSchema.shape.model.unwrap().shape),
  ...within('speech', speechSchema.shape),
  ...within('trained', trainSchema.shape.trained.unwrap().shape),
];

/** Of a policy that acts and does not learn. */
const ofActing = [
  ...within('model', modelSchema.shape).filter((path) => path !== 'model.rows'),
  ...within('speech', speechSchema.shape),
];

describe('a setting of the model, its answers or its trained parameters', () => {
  it.each([
    ['train', trainCommand([]).options, ofTraining],
    ['sft', trainCommand(['--method', 'sft']).options, ofTraining],
    ['eval', evalCommand.options, ofActing],
    ['serve', serveCommand.options, ofActing],
    ['collect', collectCommand.options, ofActing],
    ['ppo', trainCommand(['--method', 'ppo']).options, within('model', ppoSchema.shape.model.unwrap().shape)],
    [
      'grpo',
      trainCommand(['--method', 'grpo']).options,
      within('model', grpoSchema.shape.model.unwrap().shape),
    ],
  ] as const)('is a flag of emac %s', (_name, options, paths) => {
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !reached(options).includes(path))).toEqual([]);
  });
});
