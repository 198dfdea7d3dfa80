/** `emac backbone compare DIR`. */
import { command } from './command.ts';
import { computeOptions } from './model-options.ts';
import { toggle, type Values } from './option.ts';

const options = {
  provider: computeOptions.provider,
  json: toggle('print the result as JSON on standard output'),
};

export type CompareValues = Values<typeof options>;

export const backboneCompareCommand = command({
  name: 'backbone compare',
  summary: 'check the frozen networks against numbers made elsewhere',
  argument: { name: 'dir', help: 'folder with a checkpoint, inputs.safetensors and expected.safetensors' },
  options,
  run: async (values, folder, io) =>
    (await import('./backbone-compare.ts')).backboneCompare(folder, values, io),
});
