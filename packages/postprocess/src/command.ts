/**
 * A small grammar of ALFWorld's commands. An entity is one to four words and a number (`mug 1`, `coffee table 2`),
 * without preceding `the`, `a` or `an`. Both dialects are known and neither is converted. Text after a complete command
 * in its line is dropped. A command without its number keeps all its words, since truncating it could make another
 * command.
 */

const onePart = ['go to', 'open', 'close', 'use', 'toggle', 'examine'] as const;
const placements = new Set(['in/on', 'in', 'on', 'into', 'onto', 'inside']);
const twoParts: Readonly<Record<string, { accepted: ReadonlySet<string>; written: string }>> = {
  take: { accepted: new Set(['from']), written: 'from' },
  put: { accepted: placements, written: 'in/on' },
  move: { accepted: new Set(['to', ...placements]), written: 'to' },
  heat: { accepted: new Set(['with']), written: 'with' },
  cool: { accepted: new Set(['with']), written: 'with' },
  clean: { accepted: new Set(['with']), written: 'with' },
  slice: { accepted: new Set(['with']), written: 'with' },
};
const articles = new Set(['the', 'a', 'an']);

/** True for a command of a known verb with all its parts. */
export function isCommand(text: string): boolean {
  return commandOf(text) === text;
}

/** The command at the beginning of a line, in its usual form; null without one. */
export function commandOf(line: string): string | null {
  const words = line
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return bareCommand(words) ?? onePartCommand(words) ?? twoPartCommand(words);
}

function bareCommand(words: readonly string[]): string | null {
  const text = words.map(withoutEdges).join(' ').trim();
  return ['look', 'inventory', 'help'].includes(text) ? text : null;
}

function onePartCommand(words: readonly string[]): string | null {
  const verb = onePart.find((verb) => words.slice(0, verb.split(' ').length).join(' ') === verb);
  if (!verb) return null;
  const rest = words.slice(verb.split(' ').length);
  const entity = entityOf(rest) ?? looseEntity(rest);
  return entity === null ? null : `${verb} ${entity}`;
}

function twoPartCommand([verb = '', ...rest]: readonly string[]): string | null {
  const form = Object.hasOwn(twoParts, verb) ? twoParts[verb] : undefined;
  if (!form) return null;
  const at = rest.findIndex((word, index) => index > 0 && form.accepted.has(word));
  if (at < 0) return null;
  const object = looseEntity(rest.slice(0, at));
  const target = entityOf(rest.slice(at + 1)) ?? looseEntity(rest.slice(at + 1));
  return object === null || target === null ? null : `${verb} ${object} ${form.written} ${target}`;
}

/** The words up to the first number, at most four before it; null without such a number. */
function entityOf(words: readonly string[]): string | null {
  const own = withoutArticles(words);
  const at = own.findIndex((word) => numberOf(word) !== null);
  if (at < 1 || at > 4) return null;
  const name = own.slice(0, at).map(withoutEdges);
  // a full stop or comma ends the name, so a later number belongs to something else
  if (own.slice(0, at).some((word) => /[.,;:!?]$/.test(word)) || name.includes('')) return null;
  return [...name, numberOf(own[at]!)].join(' ');
}

/** All the words without articles and outer punctuation; null if none is left. */
function looseEntity(words: readonly string[]): string | null {
  const name = withoutArticles(words)
    .map((word) => numberOf(word) ?? withoutEdges(word))
    .filter((word) => word !== '');
  return name.length === 0 ? null : name.join(' ');
}

function withoutArticles(words: readonly string[]): readonly string[] {
  return words.filter((word) => !articles.has(word));
}

/** The digits of `1`, `1.`, `(1)` or `#1`; null for other words. */
function numberOf(word: string): string | null {
  return /^[^a-z0-9]*(\d+)[^a-z0-9]*$/.exec(word)?.[1] ?? null;
}

function withoutEdges(word: string): string {
  return word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}
