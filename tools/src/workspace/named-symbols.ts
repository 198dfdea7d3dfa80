/** Tables of a document that name files with symbols in them, and whether a file declares a symbol. */
import ts from 'typescript';

export interface NamedSymbols {
  /** the first cell as it is written */
  readonly what: string;
  /** a path from the repository's root */
  readonly file: string;
  readonly symbols: readonly string[];
}

/** The rows of Markdown tables with a path in backticks in the second cell and symbols in backticks in the third. */
export function namedSymbols(markdown: string): NamedSymbols[] {
  return markdown.split('\n').flatMap((line) => {
    const cells = /^\|(.*)\|\s*$/
      .exec(line)?.[1]
      ?.split('|')
      .map((cell) => cell.trim());
    const file = /^`([^`]+\/[^`]+\.\w+)`$/.exec(cells?.[1] ?? '')?.[1];
    const symbols = [...(cells?.[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    return file === undefined || symbols.length === 0 ? [] : [{ what: cells![0]!, file, symbols }];
  });
}

/** Names that a file's text declares itself: at its top, and members of classes there as `Class.member`. */
export function declaredSymbols(text: string): Set<string> {
  const { statements } = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
  return new Set(statements.flatMap(declaredBy));
}

function declaredBy(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  if (ts.isClassDeclaration(statement) && statement.name) {
    const { text } = statement.name;
    return [text, ...statement.members.flatMap(({ name }) => memberNames(text, name))];
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return isNamed && statement.name ? [statement.name.text] : [];
}

function boundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((each) => (ts.isBindingElement(each) ? boundNames(each.name) : []));
}

function memberNames(owner: string, name: ts.PropertyName | undefined): string[] {
  return name && ts.isIdentifier(name) ? [`${owner}.${name.text}`] : [];
}

/** Whether a file's text itself uses a name beyond declaring it: a function that only its own file calls. */
export function usesItself(text: string, symbol: string): boolean {
  const visit = (node: ts.Node): boolean => {
    if (ts.isExportDeclaration(node) || ts.isImportDeclaration(node)) return false;
    if (ts.isIdentifier(node) && node.text === symbol && !isItsDeclaration(node)) return true;
    return ts.forEachChild(node, (child) => visit(child) || undefined) ?? false;
  };
  return visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true));
}

function isItsDeclaration(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isFunctionDeclaration(parent) ||
      ts.isVariableDeclaration(parent) ||
      ts.isClassDeclaration(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isInterfaceDeclaration(parent) ||
      ts.isTypeAliasDeclaration(parent)) &&
    parent.name === node
  );
}
