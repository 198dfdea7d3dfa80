/**
 * Parses a speaker's answer: `<thinking>`, `<coarse>`, `<detailed>` and, if requested, `<state>` and `<location>`. As
 * published, an unclosed tag is read up to the next tag or the end of its line. Without tags, the sentences named in
 * the prompt are searched for.
 */

export interface Description {
  readonly thinking: string;
  readonly coarse: string;
  readonly detailed: string;
  readonly state: string;
  readonly location: string;
  /** the listener's text: `coarse. detailed`, or the only one present; empty for neither */
  readonly text: string;
}

export const tags = ['thinking', 'coarse', 'detailed'] as const;
type Tag = (typeof tags)[number] | 'state' | 'location';

/** Missing parts are empty. */
export function readDescription(written: string, category: string): Description {
  const coarse = tagged(written, 'coarse') || untaggedCoarse(written);
  const detailed = tagged(written, 'detailed') || untaggedDetailed(written, category);
  const stem = coarse.replace(/\.+$/, '');
  return {
    thinking: tagged(written, 'thinking'),
    coarse,
    detailed,
    state: tagged(written, 'state'),
    location: tagged(written, 'location'),
    text: stem && detailed ? `${stem}. ${detailed}` : stem || detailed,
  };
}

/** Whether a part has both tags. */
export function isClosed(written: string, tag: Tag): boolean {
  const start = written.indexOf(`<${tag}>`);
  return start >= 0 && written.indexOf(`</${tag}>`, start) >= 0;
}

function tagged(written: string, tag: Tag): string {
  const start = written.indexOf(`<${tag}>`);
  if (start < 0) return '';
  const rest = written.slice(start + tag.length + 2);
  const end = rest.indexOf(`</${tag}>`);
  if (end >= 0) return clean(rest.slice(0, end));
  const next = rest.search(/<\/?[a-z]+>/i);
  const open = next >= 0 ? rest.slice(0, next) : rest;
  return clean(open.trim().split('\n')[0]!);
}

function untaggedCoarse(written: string): string {
  return clean(/A photo of a[^.<\n]{5,50}/.exec(written)?.[0] ?? '');
}

/** `The <category> …` up to its full stop, else a sentence that begins with `The`. */
function untaggedDetailed(written: string, category: string): string {
  const start = written.indexOf(`The ${category}`);
  const stop = start < 0 ? -1 : written.indexOf('.', start);
  if (stop >= 0) return clean(written.slice(start, stop + 1));
  return clean(/The \w[^.<\n]{20,200}\.?/.exec(written)?.[0] ?? '');
}

function clean(text: string): string {
  return text
    .replace(/<\/?[a-z]+>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
