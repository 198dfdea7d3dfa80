/** The commit of this program, if it runs from a repository. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('../..', import.meta.url));

/** A short commit, with `-dirty` after local changes; null without git, or if this program is not in git. */
export function commitOf(folder = here): string | null {
  // installed inside another repository, it is not part of that one
  if (git(folder, ['ls-files', 'package.json']) !== 'package.json') return null;
  return git(folder, ['describe', '--always', '--dirty', '--exclude', '*']);
}

function git(cwd: string, argv: readonly string[]): string | null {
  // an environment variable may name another repository: ignore it
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const { status, stdout } = spawnSync('git', argv, { cwd, env, encoding: 'utf8', timeout: 5000 });
  return status === 0 ? stdout.trim() : null;
}
