/** Output folders of the experiments. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The only run of a job; undefined if none has begun. */
export function runOf(out: string, name: string): string | undefined {
  const folder = join(out, 'runs', name);
  const found = existsSync(folder) ? readdirSync(folder).filter((each) => !each.endsWith('.log')) : [];
  return found[0] && join(folder, found[0]);
}

/** The result of a job's policy on a suite. */
export function evaluationFile(out: string, name: string, suite: string): string {
  return join(out, 'evaluations', name, `${suite.replaceAll(' ', '-')}.json`);
}
