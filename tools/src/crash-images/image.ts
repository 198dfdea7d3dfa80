/** Images of a disk as real folders. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createFolder } from '@emac/files';
import type { Tree } from './changes.ts';

/** Writes the tree into a new folder. */
export function materialize(folder: string, tree: Tree): void {
  rmSync(folder, { recursive: true, force: true });
  createFolder(folder);
  for (const [path, bytes] of tree) {
    if (bytes === null) mkdirSync(join(folder, path));
    else writeFileSync(join(folder, path), bytes);
  }
}

const hashes = new WeakMap<Uint8Array, string>();

/** Equal for equal trees. */
export function identityOf(tree: Tree): string {
  const hash = createHash('sha256');
  for (const path of [...tree.keys()].sort()) hash.update(`${path}\0${hashOf(tree.get(path)!)}\n`);
  return hash.digest('base64');
}

function hashOf(bytes: Uint8Array | null): string {
  if (bytes === null) return 'folder';
  if (!hashes.has(bytes)) hashes.set(bytes, createHash('sha256').update(bytes).digest('base64'));
  return hashes.get(bytes)!;
}

/** The folder's content. */
export function readTree(folder: string): Tree {
  const tree = new Map<string, Uint8Array | null>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    tree.set(relative(folder, path), entry.isDirectory() ? null : readFileSync(path));
  }
  return tree;
}
