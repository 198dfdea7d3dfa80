/**
 * `npm ci` with the npm registry alone. onnxruntime-node's install script fetches CUDA libraries from other hosts, and
 * npm runs scripts only of packages marked `hasInstallScript` in the lock file. The mark is left out here; npm 10, 11
 * and 12 all heed that. (npm 10 knows no `allowScripts`; a key in `.npmrc` makes npm 11 warn at each npx.)
 */
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { root } from './root.ts';

interface Locked {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

/** A file in each package. */
const sources = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src/index.ts`);

describe('installing the workspace', () => {
  it('runs no script that leaves the npm registry: remove "hasInstallScript" of onnxruntime-node from package-lock.json if npm has written it again', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Locked;
    const places = Object.keys(packages).filter((place) => place.endsWith('node_modules/onnxruntime-node'));
    expect(places).toEqual(['node_modules/onnxruntime-node']);
    expect(packages[places[0]!]!.hasInstallScript).toBeUndefined();
  });

  it('has no source that git ignores', async () => {
    const words = ['ls-files', '--others', '--ignored', '--exclude-standard', 'packages', 'apps', 'tools'];
    const { stdout } = await promisify(execFile)('git', words, { cwd: root, maxBuffer: 2 ** 28 });
    expect(stdout.split('\n').filter((path) => /^[^/]+\/([^/]+\/)?src\//.test(path))).toEqual([]);
    // nor would a new file be one: `runs/` without a slash before it hid a package
    const { stdout: hidden } = await promisify(execFile)('git', ['check-ignore', '--no-index', ...sources], {
      cwd: root,
    }).catch(() => ({ stdout: '' }));
    expect(hidden).toBe('');
  });

  it('needs no setting that npm does not know, which would make every npx warn', async () => {
    const { stderr } = await promisify(execFile)('npm', ['config', 'get', 'registry'], { cwd: root });
    expect(stderr).not.toContain('Unknown project config');
  });
});
