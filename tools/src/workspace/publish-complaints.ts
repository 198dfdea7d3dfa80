/** npm's complaints before publishing: corrected fields, missing files, private packages. */
import { run } from './empty-folder.ts';
import { publishedFolders } from './package-fields.ts';
import { root } from './root.ts';

// contacts no registry: nothing listens on this port
const nobody = ['--registry', 'http://127.0.0.1:9', '--fetch-retries', '0'];

/** Lines of `npm publish --dry-run` over all packages other than the list of files; empty if all is well. */
export async function publishComplaints(): Promise<string[]> {
  const workspaces = publishedFolders().flatMap((folder) => ['--workspace', folder]);
  const words = ['publish', '--dry-run', '--ignore-scripts', ...nobody, ...workspaces];
  const { stdout, stderr } = await run('npm', words, { cwd: root });
  const published = stdout.split('\n').filter((line) => line.startsWith('+ '));
  const lines = stderr
    .split('\n')
    .filter((line) => line !== '' && !/^npm notice|requires you to be logged in/.test(line));
  if (published.length === publishedFolders().length) return lines;
  return [...lines, `npm would publish ${published.length} of ${publishedFolders().length} packages`];
}
