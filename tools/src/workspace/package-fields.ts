/**
 * The common fields of every published `package.json`: licence, Node versions and contents, derived from the
 * repository's own. The repository has no public address yet. Once it has one, give it in the root's `package.json`
 * (`homepage`, `bugs`, `repository`), and `npm run packages:fields` writes it everywhere.
 */
import { readFileSync } from 'node:fs';
import { packageNames, root } from './root.ts';

/** The part of a `package.json` that a reader of the registry sees. */
export interface PublishedFields {
  readonly name: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly files: readonly string[];
  readonly sideEffects: boolean | readonly string[];
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly [field: string]: unknown;
}

/** Folders of the packages that go to the registry, e.g. `packages/losses`. */
export function publishedFolders(): string[] {
  return [...packageNames().map((name) => `packages/${name}`), 'apps/cli'];
}

/** The `package.json` of a folder; of the repository for `.`. */
export function fieldsOf(folder: string): PublishedFields {
  return JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')) as PublishedFields;
}

/** The fields that a package in this folder has to have, since the repository has them. */
export function sharedFields(folder: string) {
  const { version, license, engines, bugs, homepage, repository } = fieldsOf('.') as unknown as {
    readonly version: string;
    readonly license: string;
    readonly engines: { readonly node: string };
    readonly bugs?: string;
    readonly homepage?: string;
    readonly repository?: { readonly type: string; readonly url: string };
  };
  return {
    version,
    homepage: homepage?.replace('#readme', `/tree/main/${folder}#readme`),
    bugs,
    repository: repository && { ...repository, directory: folder },
    license,
    engines,
    publishConfig: { access: 'public' },
  };
}
