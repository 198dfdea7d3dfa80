/**
 * Finds files that import each other, directly or indirectly, by value or by type: none of them can be read or moved
 * without the others. They are the strongly connected components (Tarjan 1972) of the imports between files.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Of each file, by its path, the paths that it imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** The relative imports of all TypeScript files below some folders of `root`, type-only and dynamic ones too. */
export function importGraph(root: string, folders: readonly string[]): ImportGraph {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(folder, name)),
  );
  return new Map(files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]));
}

/** Paths of the files that a file's text imports by a relative path. */
export function importsOf(file: string, text: string): string[] {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => join(file, '..', name));
}

/** Groups of files that all reach each other by imports; each group sorted, in sorted order. */
export function importCycles(graph: ImportGraph): string[][] {
  const cycles: string[][] = [];
  const indices = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const index = indices.size;
    indices.set(file, index);
    lowest.set(file, index);
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!indices.has(next)) visit(next);
      else if (!path.includes(next)) continue;
      lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!));
    }
    if (lowest.get(file) !== index) return;
    const component = path.splice(path.indexOf(file));
    if (component.length > 1 || graph.get(file)?.includes(file)) cycles.push(component.sort());
  };
  for (const file of graph.keys()) if (!indices.has(file)) visit(file);
  return cycles.sort(([a], [b]) => (a! < b! ? -1 : 1));
}
