/** A table that scrolls sideways on a narrow screen. */
import type { ComponentChildren } from 'preact';

export interface Column {
  readonly name: string;
  /** class of its cells; default `number` */
  readonly kind?: 'words' | 'text';
}

export interface TableProps {
  /** its content, for who does not see it */
  readonly label: string;
  /** the first column names a row */
  readonly columns: readonly (string | Column)[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  readonly className?: string;
}

export function Table({ label, columns, rows, className = '' }: TableProps) {
  const [first, ...others] = columns.map((column) =>
    typeof column === 'string' ? { name: column } : column,
  );
  const kinds = others.map(({ kind = 'number' }) => kind);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class={className}>
        <thead>
          <tr>
            <th scope="col">{first!.name}</th>
            {others.map(({ name }, place) => (
              <th scope="col" class={kinds[place]!}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([head, ...cells]) => (
            <tr>
              <th scope="row">{head}</th>
              {cells.map((cell, place) => (
                <td class={kinds[place]!}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
