/** A page of tables of text, such as a comparison of policies. */
import { html } from './html.ts';
import { page } from './page.ts';
import { tableOf } from './table.ts';

export interface TextCell {
  readonly text: string;
  /** address relative to the page */
  readonly href: string;
}

export interface PageTable {
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | TextCell)[])[];
}

export interface PagePicture {
  readonly title: string;
  /** address relative to the page */
  readonly src: string;
}

export interface TablesPage {
  readonly title: string;
  readonly tables: readonly PageTable[];
  /** paragraphs below */
  readonly notes: readonly string[];
  /** pictures at the end, loaded when they come into view */
  readonly pictures?: readonly PagePicture[];
}

/** The page as one HTML file. The first column names a row, the others are numbers. */
export function tablesPage({ title, tables, notes, pictures = [] }: TablesPage): string {
  const content = (cell: string | TextCell) =>
    typeof cell === 'string' ? cell : html`<a href="${cell.href}">${cell.text}</a>`;
  const main = html`<main>
    <h1>${title}</h1>
    ${tables.map(
      ({ name, head, rows }) =>
        html`<h2>${name}</h2>
          ${tableOf({ label: name, columns: head, rows: rows.map((row) => row.map(content)) })}`,
    )}
    ${notes.map((note) => html`<p>${note}</p>`)}
    ${pictures.map(
      (each) =>
        html`<h2>${each.title}</h2>
          <div class="scroll" tabindex="0" role="region" aria-label="${each.title}">
            <img src="${each.src}" alt="${each.title}" loading="lazy" />
          </div>`,
    )}
  </main>`;
  return page({ title: `EMAC: ${title}`, main, charts: [], frames: {}, events: null });
}
