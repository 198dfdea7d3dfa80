/** What an answer must be, as a language: JSON by a schema, or a call of a tool in the form of a chat template. */
import { EmacError, type AnswerConstraint, type AskedTool, type ToolCall } from '@emac/core';
import { jsonLanguage } from './json-language.ts';
import type { Language, Languages } from './language.ts';

export interface LanguageParts {
  readonly languages: Languages;
  /** a text of the template's own, with its special tokens; default: its characters */
  readonly literal?: (text: string) => Language;
  /** A call as the chat template writes it. Errors: `data`. */
  readonly called: (call: ToolCall) => string;
}

/** Errors: `data` for a schema that cannot be read, or a template that hides arguments. */
export function answerLanguage(form: AnswerConstraint, parts: LanguageParts): Language {
  const { languages } = parts;
  if (form.kind === 'call') return languages.either(...callLanguages(form.tools, parts));
  return languages.either(
    jsonLanguage(languages, form.schema, form),
    ...callLanguages(form.orCalls ?? [], parts),
  );
}

function callLanguages(
  tools: readonly AskedTool[],
  { languages, literal = languages.literal, called }: LanguageParts,
): Language[] {
  return tools.map(({ function: { name, parameters } }) => {
    const text = called({ name, arguments: { [mark]: 1 } });
    const found = marked.exec(text);
    if (!found)
      throw new EmacError(
        'data',
        'tools: the chat template writes the arguments of a call in a form that an answer cannot be kept to; leave tool_choice and the format of answers out',
      );
    return languages.sequence(
      literal(text.slice(0, found.index)),
      jsonLanguage(languages, parameters, { isStrict: false }),
      literal(text.slice(found.index + found[0].length)),
    );
  });
}

const mark = 'mark_of_arguments';
const marked = /\{\s*"mark_of_arguments"\s*:\s*1\s*\}/;
