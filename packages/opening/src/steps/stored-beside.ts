/** What a policy's start has beside its projection and adapter. */
import type { ParameterSet } from '@emac/core';
import { checkpointFiles, loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { isOfOthers } from '../models/projection-start.ts';

/** Null where nothing has one. */
export function storedBeside(
  from: string | null,
  part: 'valueHead' | 'valueAdapter' | 'temporalPredictor',
): ParameterSet | null {
  if (from === null || isOfOthers(from)) return null;
  return loadCheckpoint(resolveCheckpoint(from).folder).beside.get(checkpointFiles[part]) ?? null;
}
