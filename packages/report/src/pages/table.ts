/** A table that scrolls sideways on a narrow screen. */
import { html, type Html, type Part } from './html.ts';

export interface Column {
  readonly name: string;
  /** class of its cells; default `number` */
  readonly kind?: 'words' | 'text';
}

export interface Table {
  /** its content, for who does not see it */
  readonly label: string;
  /** the first column names a row */
  readonly columns: readonly (string | Column)[];
  readonly rows: readonly (readonly Part[])[];
  readonly className?: string;
}

export function tableOf({ label, columns, rows, className = '' }: Table): Html {
  const [first, ...others] = columns.map((column) =>
    typeof column === 'string' ? { name: column } : column,
  );
  const kinds = others.map(({ kind = 'number' }) => kind);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table class="${className}">
      <thead>
        <tr>
          <th scope="col">${first!.name}</th>
          ${others.map(({ name }, place) => html`<th scope="col" class="${kinds[place]}">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([head, ...cells]) =>
            html`<tr>
              <th scope="row">${head}</th>
              ${cells.map((cell, place) => html`<td class="${kinds[place]}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
