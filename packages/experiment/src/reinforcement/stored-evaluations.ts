/** Evaluations in the folder of a run: what its policy was worth before training, and after it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, isThere, whileReading, writeFileAtomic } from '@emac/files';
import { layout } from '@emac/runs';

const files = { before: 'eval-before.json', after: layout.evaluation } as const;

/** What was evaluated before; null where that was not. */
export function storedEvaluation<Evaluation>(folder: string, when: keyof typeof files): Evaluation | null {
  const path = join(folder, files[when]);
  if (!isThere(path)) return null;
  return JSON.parse(whileReading(path, () => readFileSync(path, 'utf8'))) as Evaluation;
}

export function storeEvaluation(folder: string, when: keyof typeof files, result: object): void {
  writeFileAtomic(join(folder, files[when]), `${canonicalJson(result, 2)}\n`);
}
