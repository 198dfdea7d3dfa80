/** Words in scripts of shells. */

/** A sentence in one line, without characters special to shells or terminals. */
export function spelled(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[^\x20-\x7e‘’“”–…×]/gu, '')
    .trim();
}

/** A word that needs no quotes in bash and zsh. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A word that needs no quotes in fish. */
export function quotedForFish(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** The groups and single commands, with the words after each group: words after `emac`, in order. */
export function treeOf(commands: readonly { readonly name: string; readonly help: string }[]) {
  const groups = new Map<string, { word: string; help: string }[]>();
  const first = new Map<string, string>();
  for (const { name, help } of commands) {
    const [word, next] = name.split(' ') as [string, string?];
    first.set(word, next === undefined ? help : [first.get(word), next].filter(Boolean).join(', '));
    if (next !== undefined) groups.set(word, [...(groups.get(word) ?? []), { word: next, help }]);
  }
  return { first: [...first].map(([word, help]) => ({ word, help })), groups: [...groups] };
}
