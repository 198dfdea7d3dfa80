/** The success of a run's evaluation after training. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isThere } from '@emac/files';
import type { EvaluationResult } from '@emac/rollout';
import { layout } from '@emac/runs';

/** Over held-out tasks, or those trained on without any; null without an evaluation. */
export function evaluationAfter(folder: string): number | null {
  const file = join(folder, layout.evaluation);
  if (!isThere(file)) return null;
  const { success, seen } = JSON.parse(readFileSync(file, 'utf8')) as Partial<EvaluationResult>;
  return success ?? seen?.success ?? null;
}
