/** The site, built once for the test files that share a process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSite, type SiteFile } from '@emac/web';

export interface BuiltSite {
  readonly folder: string;
  readonly files: readonly SiteFile[];
}

let built: Promise<BuiltSite> | undefined;

/** Do not change its files. */
export function builtSite(): Promise<BuiltSite> {
  return (built ??= build());
}

async function build(): Promise<BuiltSite> {
  const folder = mkdtempSync(join(tmpdir(), 'built-site-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return { folder, files: await buildSite(folder) };
}
