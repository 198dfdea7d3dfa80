/** `emac train`. */
import { command } from './command.ts';
import { directCall } from './direct-call.ts';
import { presetTable } from './preset-values.ts';
import { trainOptions } from './train-options.ts';

export const trainCommand = command({
  name: 'train',
  summary: 'train the projection in ALFWorld games or on a dataset',
  options: trainOptions,
  epilogue: () => `${presetTable()}\n\n${directCall}`,
  run: async (values, _argument, io) => (await import('./run-training.ts')).runTraining(values, io),
});
