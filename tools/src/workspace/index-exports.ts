/** A package's public names, from its `index.ts`. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { root } from './root.ts';

export interface Exports {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** The exported names of a package, sorted; values, which exist at run time, separate from types. */
export function indexExports(name: string): Exports {
  const file = `${root}packages/${name}/src/index.ts`;
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found = statements.flatMap((statement) => [...exportedBy(statement)]);
  const names = (isType: boolean): string[] =>
    found
      .filter((each) => each.isType === isType)
      .map((each) => each.name)
      .sort();
  return { values: names(false), types: names(true) };
}

function* exportedBy(statement: ts.Statement): Iterable<{ name: string; isType: boolean }> {
  if (ts.isExportDeclaration(statement) && statement.exportClause) {
    const clause = statement.exportClause;
    if (ts.isNamespaceExport(clause)) yield { name: clause.name.text, isType: statement.isTypeOnly };
    else {
      for (const { name, isTypeOnly } of clause.elements) {
        yield { name: name.text, isType: statement.isTypeOnly || isTypeOnly };
      }
    }
  }
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (ts.isVariableStatement(statement) && isExported) {
    for (const { name } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name)) yield { name: name.text, isType: false };
    }
  }
}
