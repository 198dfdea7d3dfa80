/** The tokens that go on with a text of a language, so that a search can only produce such texts. */
import type { Language, Languages } from './language.ts';
import type { TokenTrie } from '../search/token-trie.ts';

/** Tokens by the characters of their texts. */
export interface Vocabulary {
  /** the text that each id adds; '' for one that adds none, or a part of a character */
  readonly texts: readonly string[];
  readonly root: Branch;
}

interface Branch {
  readonly next: Map<string, Branch>;
  readonly ids: number[];
}

export function vocabularyOf(texts: readonly string[]): Vocabulary {
  const root: Branch = { next: new Map(), ids: [] };
  texts.forEach((text, id) => {
    if (text === '' || text.includes('\u{FFFD}')) return;
    let branch = root;
    for (const each of text) {
      let next = branch.next.get(each);
      if (!next) branch.next.set(each, (next = { next: new Map(), ids: [] }));
      branch = next;
    }
    branch.ids.push(id);
  });
  return { texts, root };
}

export interface TokenLanguage {
  readonly languages: Languages;
  readonly language: Language;
  readonly vocabulary: Vocabulary;
  readonly endTokens: readonly number[];
}

/** As a list of texts would be; lengths are not known before. */
export function tokenLanguage({ languages, language, vocabulary, endTokens }: TokenLanguage): TokenTrie {
  const following = new Map<Language, readonly number[]>();
  const reached = new Map<string, Language | null>([['', language]]);
  const afterToken = (now: Language | null, id: number): Language | null => {
    let found = now;
    for (const each of vocabulary.texts[id] ?? '') found = found && languages.after(found, each);
    return vocabulary.texts[id] === '' ? null : found;
  };
  const afterAll = (tokens: readonly number[]): Language | null => {
    const key = tokens.join(' ');
    const found = reached.get(key);
    if (found !== undefined) return found;
    const made = afterToken(afterAll(tokens.slice(0, -1)), tokens.at(-1)!);
    reached.set(key, made);
    return made;
  };
  const idsAfter = (now: Language): readonly number[] => {
    const found = following.get(now);
    if (found) return found;
    const ids = languages.mayEnd(now) ? [...endTokens] : [];
    const walk = (branch: Branch, at: Language): void => {
      for (const [each, next] of branch.next) {
        const then = languages.after(at, each);
        if (then === null) continue;
        ids.push(...next.ids);
        walk(next, then);
      }
    };
    walk(vocabulary.root, now);
    const sorted = [...new Set(ids)].sort((a, b) => a - b);
    following.set(now, sorted);
    return sorted;
  };
  const trie: TokenTrie = {
    after: (tokens) => {
      const now = afterAll(tokens);
      return now === null ? [] : idsAfter(now);
    },
    filter: () => trie,
  };
  return trie;
}
