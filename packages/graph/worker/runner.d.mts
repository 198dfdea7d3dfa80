import type { RunningThread } from '../src/running-thread.ts';

export function createRunnerOf(parts: {
  readonly ort: object;
  readonly stored: object;
  readonly openWeights?: (paths: readonly string[]) => object;
}): RunningThread;
