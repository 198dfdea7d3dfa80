/**
 * Builds HTML from parts and escapes everything that is not markup already, so text from a model or a game is never
 * markup.
 */

/** Markup; everything else that enters a page is text. */
export class Html {
  constructor(readonly markup: string) {}
}

export type Part = Html | string | number | null | undefined | readonly Part[];

/** A template that escapes its values unless they are markup; lists are joined, null and undefined are empty. */
export function html(texts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(
    texts.map((text, index) => text + (index < values.length ? markupOf(values[index]) : '')).join(''),
  );
}

function markupOf(part: Part): string {
  if (part === null || part === undefined) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(markupOf).join('');
  return escaped(String(part));
}

const marks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands between tags or in a quoted attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => marks[mark]!);
}

/** JSON within `<script type="application/json">`; no text in it can end the script. */
export function jsonScript(id: string, value: unknown): Html {
  const json = JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
  return new Html(`<script type="application/json" id="${escaped(id)}">${json}</script>`);
}
