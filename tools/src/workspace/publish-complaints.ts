/** A trial of publishing: what npm would send, and its complaints, such as corrected fields, missing files, private packages. */
import { run } from './empty-folder.ts';
import { publishedFolders } from './package-fields.ts';
import { removeStaleOutput, type Packed } from './packed-set.ts';
import { root } from './root.ts';

// contacts no registry: nothing listens on this port
const nobody = ['--registry', 'http://127.0.0.1:9', '--fetch-retries', '0'];

export interface TriedPublishing {
  /** the packages that npm would send, by name */
  readonly packed: Readonly<Record<string, Packed>>;
  /** lines of npm; empty if all is well */
  readonly complaints: readonly string[];
}

/** `npm publish --dry-run` over all packages as last built. */
export async function tryPublishing(): Promise<TriedPublishing> {
  publishedFolders().forEach(removeStaleOutput);
  const workspaces = publishedFolders().flatMap((folder) => ['--workspace', folder]);
  const words = ['publish', '--dry-run', '--json', '--ignore-scripts', ...nobody, ...workspaces];
  const { stdout, stderr } = await run('npm', words, { cwd: root });
  const packed = JSON.parse(stdout) as Readonly<Record<string, Packed>>;
  const lines = stderr
    .split('\n')
    .filter((line) => line !== '' && !/^npm notice|requires you to be logged in/.test(line));
  const [count, wanted] = [Object.keys(packed).length, publishedFolders().length];
  if (count === wanted) return { packed, complaints: lines };
  return { packed, complaints: [...lines, `npm would publish ${count} of ${wanted} packages`] };
}
