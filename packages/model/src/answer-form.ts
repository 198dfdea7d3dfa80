/** Answers of a form, such as JSON by a schema: which tokens may follow at each place. */
import { languages, tokenLanguage, vocabularyOf, type TokenTrie, type Vocabulary } from '@emac/backbone';
import { EmacError, type AnswerConstraint } from '@emac/core';
import type { Engine } from './engine.ts';

/** of the newest forms of a model: what may follow is found once for equal places */
const kept = 8;

interface Forms {
  readonly vocabulary: Vocabulary;
  readonly tries: Map<string, TokenTrie>;
}

const formsOf = new WeakMap<Engine, Forms>();

/** The trie of a form. Errors: `data` for a form that cannot be kept, `usage` for a model without a chat template. */
export function trieOf(engine: Engine, form: AnswerConstraint, endTokens: readonly number[]): TokenTrie {
  let forms = formsOf.get(engine);
  if (!forms) formsOf.set(engine, (forms = { vocabulary: vocabularyIn(engine), tries: new Map() }));
  const key = JSON.stringify([form, endTokens]);
  const { vocabulary, tries } = forms;
  const found = tries.get(key);
  if (found) return found;
  const made = trieIn(engine, form, { vocabulary, endTokens });
  if (tries.size >= kept) tries.delete(tries.keys().next().value!);
  tries.set(key, made);
  return made;
}

function trieIn(
  { backbone }: Engine,
  form: AnswerConstraint,
  { vocabulary, endTokens }: { readonly vocabulary: Vocabulary; readonly endTokens: readonly number[] },
): TokenTrie {
  const made = languages();
  const { conversation } = backbone.prompts();
  if (!conversation)
    throw new EmacError('usage', 'student: a form of answers needs a model with a chat template');
  const language = conversation.formed(form, {
    languages: made,
    literal: (text) =>
      made.literal(
        backbone
          .tokenizer()
          .encode(text)
          .map((id) => vocabulary.texts[id]!)
          .join(''),
      ),
  });
  return tokenLanguage({ languages: made, language, vocabulary, endTokens });
}

/** stands before the text of a special token, so that no value of JSON holds one */
const special = '\u{F8F2}';

function vocabularyIn({ backbone }: Engine): Vocabulary {
  const tokenizer = backbone.tokenizer();
  // a text before it, since the first token of a text may lose its blank
  const [anchor] = tokenizer.encode('a').slice(-1);
  const before = tokenizer.decode([anchor!]);
  const texts = Array.from({ length: backbone.files.vocabulary }, (_, id) => {
    const own = tokenizer.decode([anchor!, id]).slice(before.length);
    if (own !== '') return own;
    const named = tokenizer.decode([id], { special: true });
    return named === '' ? '' : special + named;
  });
  return vocabularyOf(texts);
}
