/**
 * The parts a program really uses: files it imports, directly or not, by value or by type, and the imported names. An
 * import of one name through an `index.ts` reaches only that name's file.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export interface Reached {
  /** paths from the root */
  readonly files: ReadonlySet<string>;
  /** `path#name` of every name that one of these files imports from another */
  readonly names: ReadonlySet<string>;
}

export interface Import {
  /** a path from the root, or `@emac/NAME` */
  readonly from: string;
  /** null if all names may be meant: `import()`, `import * as` */
  readonly names: readonly string[] | null;
  /** names under which an `export … from` re-exports them; one for all of `export * as` */
  readonly passedOnAs?: readonly string[];
}

/** Everything that is reached from the file `start` below `root`. */
export function reachedFrom(root: string, start: string): Reached {
  const files = new Set<string>();
  const names = new Set<string>();
  const waiting = [start];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const each of importsOf(file, readFileSync(join(root, file), 'utf8')))
      for (const { from, names: imported } of resolved(root, each)) {
        if (!existsSync(join(root, from))) continue;
        waiting.push(from);
        for (const name of imported ?? ['*']) names.add(`${from}#${name}`);
      }
  }
  return { files, names };
}

/** An import of a package, as imports of the files that its `index.ts` has the names from. */
function resolved(root: string, { from, names }: Import): readonly Import[] {
  const name = /^@emac\/(.+)$/.exec(from)?.[1];
  if (name === undefined) return [{ from, names }];
  const index = `packages/${name}/src/index.ts`;
  const promised = importsOf(index, readFileSync(join(root, index), 'utf8'));
  if (names === null) return promised;
  return promised.flatMap(({ from: place, names: own, passedOnAs = [] }) => {
    const isWanted = passedOnAs.map((each) => names.includes(each));
    if (!isWanted.includes(true)) return [];
    return [{ from: place, names: own && own.filter((_, index) => isWanted[index]) }];
  });
}

/** A file's imports from the repository and its re-exports; third-party packages are excluded. */
export function importsOf(file: string, text: string): Import[] {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const named = statements.flatMap(namedImport);
  const byName = new Set(named.map(({ from }) => from));
  const others = ts
    .preProcessFile(text, true, true)
    .importedFiles.filter(({ fileName }) => !byName.has(fileName))
    .map(({ fileName }) => ({ from: fileName, names: null }));
  return [...named, ...others].flatMap((each) => {
    if (each.from.startsWith('.')) return [{ ...each, from: join(file, '..', each.from) }];
    return /^@emac\/[^/]+$/.test(each.from) ? [each] : [];
  });
}

function namedImport(statement: ts.Statement): Import[] {
  const isImport = ts.isImportDeclaration(statement);
  if (!isImport && !ts.isExportDeclaration(statement)) return [];
  const { moduleSpecifier } = statement;
  if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) return [];
  const { text: from } = moduleSpecifier;
  const list = isImport ? statement.importClause?.namedBindings : statement.exportClause;
  if (!list || ts.isNamespaceImport(list)) return [{ from, names: null }];
  if (ts.isNamespaceExport(list)) return [{ from, names: null, passedOnAs: [list.name.text] }];
  const names = list.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
  if (isImport) return [{ from, names }];
  return [{ from, names, passedOnAs: list.elements.map(({ name }) => name.text) }];
}
