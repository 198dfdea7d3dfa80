/** The parts of a policy's start besides projection and adapter. */
import type { ParameterSet } from '@emac/core';
import { checkpointFiles, loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { isOfOthers } from '../models/projection-start.ts';

/** Null if there are none. */
export function storedBeside(
  from: string | null,
  part: 'valueHead' | 'valueAdapter' | 'temporalPredictor',
): ParameterSet | null {
  if (from === null || isOfOthers(from)) return null;
  return loadCheckpoint(resolveCheckpoint(from).folder).beside.get(checkpointFiles[part]) ?? null;
}
