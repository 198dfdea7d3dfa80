/**
 * The commands of a Markdown document, and their changes for tests. A block marked `sh` is run verbatim; a comment
 * before it may change that, several joined by ` | `:
 *
 *   <!-- tests: add --rounds 1 --max-steps 5 -->     in each of its `emac train`, `eval`, `collect` and `sft` lines, also in place of
 *                                                    other values
 *   <!-- tests: instead COMMAND -->                  run in its place
 *   <!-- tests: Ctrl-C at "round 1" -->              typed when that is printed
 *   <!-- tests: ends with 75 -->                     its exit status, 0 otherwise
 *   <!-- tests: long -->                             run only with EMAC_LONG=1, as by `npm run check:long`
 *   <!-- tests: none, needs the network -->          not run; the flags of its `emac` commands are still looked up
 */

export interface ShellBlock {
  /** line where the commands begin, from 1 */
  readonly line: number;
  /** as it is printed */
  readonly code: string;
  /** the command for tests; null if it is not run */
  readonly tested: string | null;
  /** printed text at which Ctrl-C is typed */
  readonly interruptedAt: string | null;
  readonly status: number;
  /** left out of a short check */
  readonly isLong: boolean;
  /** lines that are among those it prints: of the blocks without a language between it and the next one */
  readonly prints: readonly string[];
}

/** All of them, in order. Errors: an unknown directive, with its line. */
export function shellBlocks(markdown: string): ShellBlock[] {
  const found = [...markdown.matchAll(/(?:^<!-- tests: ([^\n]*) -->\n+)?^```sh\n([^]*?)^```$/gm)];
  return found.map(({ 0: whole, 1: directives, 2: code, index }, place) => {
    const after = markdown.slice(index + whole.length, found[place + 1]?.index);
    const plain = after.replaceAll(/^```\w+\n[^]*?^```$/gm, '');
    const printed = [...plain.matchAll(/^```\n([^]*?)^```$/gm)].flatMap(([, lines]) =>
      lines!.trimEnd().split('\n'),
    );
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
        isLong: false,
        prints: printed,
      });
  });
}

function directed(block: ShellBlock, directive: string): ShellBlock {
  if (directive === 'long') return { ...block, isLong: true };
  const [, word, rest] = /^(add|instead|Ctrl-C at|ends with|none,) (.*)$/.exec(directive) ?? [];
  switch (word) {
    case 'add':
      return { ...block, tested: withFlags(block.code, rest!) };
    case 'instead':
      return { ...block, tested: `${rest}\n` };
    case 'Ctrl-C at':
      return { ...block, interruptedAt: rest!.replace(/^"|"$/g, '') };
    case 'ends with':
      return { ...block, status: Number(rest) };
    case 'none,':
      return { ...block, tested: null };
    default:
      throw new Error(`line ${block.line}: unknown directive for tests: ${directive}`);
  }
}

/** Adds these flags to each command that plays games, or replaces their values. */
function withFlags(code: string, flags: string): string {
  const wanted = flags.split(/ (?=--)/);
  return code
    .replaceAll('\\\n', ' ')
    .replace(/^\S*(?:npx )?emac (?:train|eval|collect|sft)\b[^#\n]*/gm, (command) =>
      wanted.reduce((words, flag) => {
        const [name] = flag.split(' ');
        const given = new RegExp(`${name} (?!--)\\S+`);
        return given.test(words) ? words.replace(given, flag) : `${words.trimEnd()} ${flag} `;
      }, command),
    );
}

/** Flags whose value decides which other flags a command has. */
const deciding: Readonly<Record<string, RegExp>> = {
  train: /^--method \S/,
  eval: /^--env lewis$/,
  serve: /^--role \S/,
};

/**
 * `emac` commands with their flags: `{ words: ['games', 'generate'], flags: ['--out'] }`. A flag that decides which other
 * flags there are is among the words, such as `--method` of `emac train`.
 */
export function emacCommands(code: string): { words: string[]; flags: string[] }[] {
  const lines = code.replaceAll('\\\n', ' ').split('\n');
  return lines.flatMap((line) => {
    const [, typed] = /\bemac ([a-z][^#|>;&]*)/.exec(line) ?? [];
    if (typed === undefined) return [];
    const parts = typed.trim().split(/\s+/);
    const first = parts.findIndex((part) => !/^[a-z]+$/.test(part));
    const words = first < 0 ? parts : parts.slice(0, first);
    const isDeciding = deciding[words[0] ?? ''];
    const place = parts.findIndex((part, at) => isDeciding?.test(`${part} ${parts[at + 1]}`));
    const decided = place < 0 ? [] : parts.splice(place, 2);
    const flags = parts.filter((part) => part.startsWith('--')).map((part) => part.replace(/=.*/, ''));
    return [{ words: [...words, ...decided], flags }];
  });
}
