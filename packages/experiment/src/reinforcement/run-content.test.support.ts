/** The files of a run that must not depend on time. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Metrics, evaluations, recorded attempts and checkpoints, by name. */
export function contentOf(run: string): Map<string, string> {
  const names = readdirSync(run, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(metrics\.jsonl|eval.*\.json|attempts\/.*|checkpoints\/\d+\/.*)$/.test(name))
    .sort();
  return new Map(names.map((name) => [name, readFileSync(join(run, name), 'base64')]));
}
