/**
 * The commands of a document in Markdown, and what its tests change about them. A block marked `sh` is run as it stands; a
 * comment before it may say, several joined by ` | `:
 *
 *   <!-- tests: add --rounds 1 --max-steps 5 -->     appended to each of its `npx emac train`, `eval` and `collect` lines
 *   <!-- tests: instead COMMAND -->                  run in its place
 *   <!-- tests: Ctrl-C at "round 1" -->              typed when that is printed
 *   <!-- tests: ends with 75 -->                     its exit status, 0 otherwise
 *   <!-- tests: none, needs the network -->          not run; the flags of its `emac` commands are still looked up
 */

export interface ShellBlock {
  /** line of the document on which the commands begin, from 1 */
  readonly line: number;
  /** as it is printed */
  readonly code: string;
  /** as it is tested; null where it is not run */
  readonly tested: string | null;
  /** printed text at which Ctrl-C is typed */
  readonly interruptedAt: string | null;
  readonly status: number;
}

/** All of them, in order. Errors: one that names the line, for a directive that is not known. */
export function shellBlocks(markdown: string): ShellBlock[] {
  const found = markdown.matchAll(/(?:^<!-- tests: ([^\n]*) -->\n+)?^```sh\n([^]*?)^```/gm);
  return [...found].map(({ 0: whole, 1: directives, 2: code, index }) => {
    const line = markdown.slice(0, index + whole.indexOf('```sh')).split('\n').length + 1;
    return (directives ?? '')
      .split(' | ')
      .filter((directive) => directive !== '')
      .reduce<ShellBlock>((block, directive) => directed(block, directive), {
        line,
        code: code!,
        tested: code!,
        interruptedAt: null,
        status: 0,
      });
  });
}

function directed(block: ShellBlock, directive: string): ShellBlock {
  const [, word, rest] = /^(add|instead|Ctrl-C at|ends with|none,) (.*)$/.exec(directive) ?? [];
  switch (word) {
    case 'add':
      return {
        ...block,
        tested: block.code.replace(/^(npx emac (?:train|eval|collect)\b[^#\n]*?)( *#.*)?$/gm, `$1 ${rest}$2`),
      };
    case 'instead':
      return { ...block, tested: `${rest}\n` };
    case 'Ctrl-C at':
      return { ...block, interruptedAt: rest!.replace(/^"|"$/g, '') };
    case 'ends with':
      return { ...block, status: Number(rest) };
    case 'none,':
      return { ...block, tested: null };
    default:
      throw new Error(`line ${block.line}: no such directive for tests: ${directive}`);
  }
}

/** `emac` commands with their flags: `{ words: ['games', 'generate'], flags: ['--out'] }`. */
export function emacCommands(code: string): { words: string[]; flags: string[] }[] {
  const lines = code.replaceAll('\\\n', ' ').split('\n');
  return lines.flatMap((line) => {
    const [, typed] = /\bemac ([a-z][^#|>;&]*)/.exec(line) ?? [];
    if (typed === undefined) return [];
    const parts = typed.trim().split(/\s+/);
    const first = parts.findIndex((part) => !/^[a-z]+$/.test(part));
    return [
      {
        words: first < 0 ? parts : parts.slice(0, first),
        flags: parts.filter((part) => part.startsWith('--')).map((part) => part.replace(/=.*/, '')),
      },
    ];
  });
}
