/** The table of runs: sorted by a click on a heading, runs chosen by ticking, names and notes edited in place. */
import type { Asked } from '../components/address.ts';
import { coloursOf } from '../components/colour.ts';
import { Share, State, SuccessMark, Swatch } from '../components/marks.tsx';
import { columnOf, fixedColumns, nameColumn, type RunColumn } from '../data/columns.ts';
import { countedSuccess } from '../data/row-of-view.ts';
import type { RunRow } from '../data/run-row.ts';
import type { Source } from '../data/source.ts';
import { RunName } from './run-name.tsx';

export interface RunsTableProps {
  readonly rows: readonly RunRow[];
  readonly source: Source;
  readonly sort: string;
  /** ids of columns that were added */
  readonly extra: readonly string[];
  /** names of the ticked runs */
  readonly chosen: readonly string[];
  readonly choose: (names: readonly string[]) => void;
  readonly change: (change: Asked) => void;
}

export function RunsTable({ rows, source, sort, extra, chosen, choose, change }: RunsTableProps) {
  // a column without any value says nothing
  const fixed = fixedColumns.filter(({ value }) => rows.some((row) => value(row) !== null));
  const columns = [...fixed, ...extra.flatMap((id) => columnOf(id) ?? [])];
  const ticked = new Set(chosen);
  const colours = coloursOf(chosen);
  const tick = (name: string) =>
    choose(ticked.has(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  const remove = (id: string) => change({ column: extra.filter((each) => each !== id) });
  return (
    <div class="scroll runs" tabIndex={0} role="region" aria-label="runs">
      <table>
        <thead>
          <tr>
            <Heading column={nameColumn} sort={sort} change={change} />
            {columns.map((column) => (
              <Heading
                column={column}
                sort={sort}
                change={change}
                remove={extra.includes(column.id) ? remove : null}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} class={ticked.has(row.name) ? 'ticked' : ''}>
              <th scope="row">
                <span class="first">
                  <label class="tick">
                    <input
                      type="checkbox"
                      name="run"
                      checked={ticked.has(row.name)}
                      onChange={() => tick(row.name)}
                      aria-label={`draw ${row.name}`}
                    />
                    {colours.has(row.name) && <Swatch colour={colours.get(row.name)!} />}
                  </label>
                  <RunName row={row} source={source} />
                </span>
              </th>
              {columns.map((column) => (
                <Cell column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeadingProps {
  readonly column: RunColumn;
  readonly sort: string;
  readonly change: (change: Asked) => void;
  readonly remove?: ((id: string) => void) | null;
}

function Heading({ column: { id, name, kind }, sort, change, remove = null }: HeadingProps) {
  const isUp = sort === id;
  const isDown = sort === `-${id}`;
  // numbers are first sorted with the highest on top
  const next = isDown || (kind === 'text' && id !== 'started' && !isUp) ? id : `-${id}`;
  return (
    <th
      scope="col"
      class={`${kind === 'text' || id === 'success' ? 'text' : 'number'} of-${id.replace(/\W/g, '-')}`}
      aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}
    >
      <button type="button" class="plain" onClick={() => change({ sort: [next] })}>
        {name}
        <span aria-hidden="true">{isUp ? ' ↑' : isDown ? ' ↓' : ''}</span>
      </button>
      {id === 'success' && <small>{'before → after, and the curve while training'}</small>}
      {remove !== null && (
        <button type="button" class="plain" aria-label={`remove column ${name}`} onClick={() => remove(id)}>
          ×
        </button>
      )}
    </th>
  );
}

function Cell({ column, row }: { readonly column: RunColumn; readonly row: RunRow }) {
  const value = column.value(row);
  if (value === null) return <td />;
  if (column.id === 'state')
    return <td>{row.state === null ? <span class="soft">{row.kind}</span> : <State state={row.state} />}</td>;
  if (column.id === 'success')
    return (
      <td class="success">
        <SuccessMark success={countedSuccess(row.success)!} curve={row.success.curve} />
      </td>
    );
  if (column.kind === 'share')
    return (
      <td class={`number of-${column.id}`}>
        <Share share={Number(value)} />
      </td>
    );
  const words = column.words(value);
  const long = column.id === 'changed' || column.id.startsWith('setting:');
  return (
    <td
      class={`${typeof value === 'number' ? 'number' : long ? 'long' : ''} of-${column.id.replace(/\W/g, '-')}`}
      title={long ? words : undefined}
    >
      {words}
    </td>
  );
}
