/** In which files of code a method or an environment is told by name: in identifiers, texts and paths, not in comments. */
import ts from 'typescript';

/** The words of identifiers and texts of a file: `trainGraphGpo` has train, graph, gpo. */
export function wordsOf(source: string): string[][] {
  const found: string[][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node) || ts.isStringLiteralLike(node))
      found.push(split(node.text));
    else if (ts.isTemplateExpression(node))
      found.push(
        ...[node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => split(text)),
      );
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('named.ts', source, ts.ScriptTarget.Latest));
  return found;
}

function split(text: string): string[] {
  const words = text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return words.map((word) => word.toLowerCase());
}

/** Whether words that follow one another make the name: graph and gpo make graphgpo, and so does the word itself. */
export function tells(words: readonly string[], name: string): boolean {
  const whole = split(name).join('');
  return words.some((_, first) => {
    let made = '';
    for (let next = first; next < words.length && made.length < whole.length; next++) made += words[next]!;
    return made === whole;
  });
}

export interface NamedPlaces {
  /** files whose path has the name */
  readonly own: readonly string[];
  readonly others: readonly string[];
}

/** `files`: the words of each by its path. */
export function placesOf(
  files: ReadonlyMap<string, readonly (readonly string[])[]>,
  name: string,
): NamedPlaces {
  const own = [...files.keys()].filter((path) => tells(split(path), name));
  const others = [...files]
    .filter(([path, words]) => !own.includes(path) && words.some((each) => tells(each, name)))
    .map(([path]) => path);
  return { own, others };
}
