/** Which state of the repository this program is, where it runs from one. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('../..', import.meta.url));

/** A short commit, with `-dirty` where files were changed after it; null without git or where git does not hold this program. */
export function commitOf(folder = here): string | null {
  // installed into somebody else's repository, it is no part of that one
  if (git(folder, ['ls-files', 'package.json']) !== 'package.json') return null;
  return git(folder, ['describe', '--always', '--dirty', '--exclude', '*']);
}

function git(cwd: string, argv: readonly string[]): string | null {
  // another repository that the environment names has nothing to say here
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const { status, stdout } = spawnSync('git', argv, { cwd, env, encoding: 'utf8', timeout: 5000 });
  return status === 0 ? stdout.trim() : null;
}
