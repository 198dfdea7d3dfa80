/**
 * A stranger's project without npm's work, which unpacks 700 MB of third-party code: tarballs are unpacked, and third-party
 * packages are links to those of this repository. Only what the tarballs declare is there, and what that needs, by the lock file.
 */
import { readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFolder } from '@emac/files';
import { run } from './empty-folder.ts';
import { root } from './root.ts';

interface Locked {
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Unpacks tarballs of `@emac/NAME` by name, and links what they need. */
export async function unpackTarballs(
  folder: string,
  tarballs: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, tarball] of Object.entries(tarballs)) {
    const target = join(folder, 'node_modules', '@emac', name);
    createFolder(target);
    await run('tar', ['-xzf', tarball, '-C', target, '--strip-components', '1'], { cwd: folder });
  }
  for (const path of thirdParty(Object.keys(tarballs))) {
    // a package's own version of something lies in its folder
    const place = join(folder, path.replace(/^packages\//, 'node_modules/@emac/'));
    createFolder(dirname(place));
    symlinkSync(join(root, path), place);
  }
}

/** Paths such as `node_modules/zod` that these packages need. */
function thirdParty(names: readonly string[]): ReadonlySet<string> {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const found = new Set<string>();
  const visit = (path: string): void => {
    const { dependencies, optionalDependencies, peerDependencies } = packages[path]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const place = placeOf(name, path);
      // another's optional part, or a sibling, which has a tarball
      if (place === undefined || packages[place]!.link === true || found.has(place)) continue;
      found.add(place);
      visit(place);
    }
  };
  /** where Node finds a package from another's folder */
  const placeOf = (name: string, from: string): string | undefined => {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
      const place = join(folder, 'node_modules', name);
      if (place in packages) return place;
      if (folder === '') return undefined;
    }
  };
  for (const name of names) visit(`packages/${name}`);
  // what lies inside another's folder comes with it
  return new Set(
    [...found].filter((path) => /^(packages\/[^/]+\/)?node_modules\/(@[^/]+\/)?[^/]+$/.test(path)),
  );
}
