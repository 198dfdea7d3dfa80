/** Generators in ONNX Runtime: one that uses all cores; for several prompts of a small model also one per core, where sessions compute at once. */
import { areThreadsApart } from '@emac/graph';
import { processorCores } from '@emac/platform';

import type { LlamaModel } from './generation-graphs.ts';
import { generatorOf, type Generator } from './generator.ts';
import { createSessionExecution, isSmall, type ExecutionOptions } from './session-execution.ts';
import { spreadGenerator } from './spread-generator.ts';

/** A generator in sessions of its own. Errors: those of `createSessions`. */
export async function createGenerator(model: LlamaModel, options: ExecutionOptions = {}): Promise<Generator> {
  const open = async (own: ExecutionOptions): Promise<Generator> =>
    generatorOf(model.config, await createSessionExecution(model, { ...options, ...own }));
  const alone = await open({});
  const { provider = 'cpu', threads = processorCores(), thread = 'worker' } = options;
  const isSpread = areThreadsApart && isSmall(model.config) && threads > 1;
  if (!isSpread || provider !== 'cpu' || thread !== 'worker') return alone;
  return spreadGenerator({
    alone,
    lanes: threads,
    open: (lane) => open({ threads: 1, thread: lane === 0 ? 'worker' : 'another' }),
  });
}
