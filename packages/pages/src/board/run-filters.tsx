/** Fields above the list of runs: words, environment, method, state, and columns to be added. */
import { useMemo, useState } from 'preact/hooks';
import type { Asked } from '../components/address.ts';
import { addable, type RowFilter } from '../data/columns.ts';
import type { RunRow } from '../data/run-row.ts';
import { environmentWords, methodWords } from '../data/words.ts';

export interface RunFiltersProps {
  readonly rows: readonly RunRow[];
  readonly asked: Asked;
  readonly filter: RowFilter;
  readonly change: (change: Asked) => void;
}

export function RunFilters({ rows, asked, filter, change }: RunFiltersProps) {
  const [isOpen, setOpen] = useState(false);
  const count = [filter.environment, filter.method, filter.state].filter((value) => value !== '').length;
  return (
    <form class="controls filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        name="q"
        placeholder="search"
        aria-label="search runs"
        value={filter.text}
        onInput={(event) => change({ q: given(event.currentTarget.value) })}
      />
      <button type="button" class="narrow" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {count > 0 ? `filters (${count})` : 'filters'}
      </button>
      <div class={`controls more ${isOpen ? 'open' : ''}`}>
        <Choice
          name="environment"
          value={filter.environment}
          values={rows.map(({ environment }) => environment)}
          words={environmentWords}
          change={change}
        />
        <Choice
          name="method"
          value={filter.method}
          values={rows.map(({ method, kind }) => method ?? kind)}
          words={(method) => (method in kinds ? method : methodWords(method))}
          change={change}
        />
        <Choice
          name="state"
          value={filter.state}
          values={rows.map(({ state, kind }) => state ?? kind)}
          words={String}
          change={change}
        />
        <AddColumn rows={rows} columns={asked['column'] ?? []} change={change} />
      </div>
    </form>
  );
}

const kinds = { evaluation: 1, comparison: 1, sweep: 1 };
const given = (text: string) => (text === '' ? [] : [text]);

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly values: readonly (string | null)[];
  readonly words: (value: string) => string;
  readonly change: (change: Asked) => void;
}

function Choice({ name, value, values, words, change }: ChoiceProps) {
  const counts = new Map<string, number>();
  for (const each of values) if (each !== null) counts.set(each, (counts.get(each) ?? 0) + 1);
  if (counts.size < 2 && value === '') return null;
  return (
    <select
      name={name}
      aria-label={name}
      value={value}
      onChange={(event) => change({ [name]: given(event.currentTarget.value) })}
    >
      <option value="">{`any ${name}`}</option>
      {[...counts].sort().map(([each, count]) => (
        <option value={each}>{`${words(each)} (${count})`}</option>
      ))}
    </select>
  );
}

function AddColumn({
  rows,
  columns,
  change,
}: Pick<RunFiltersProps, 'rows' | 'change'> & { readonly columns: readonly string[] }) {
  const { settings, metrics } = useMemo(() => addable(rows), [rows]);
  const group = (label: string, kind: string, names: readonly string[]) =>
    names.length > 0 && (
      <optgroup label={label}>
        {names.map((name) => (
          <option value={`${kind}:${name}`}>{name}</option>
        ))}
      </optgroup>
    );
  return (
    <select
      name="add"
      aria-label="add a column"
      value=""
      onChange={(event) => change({ column: [...new Set([...columns, event.currentTarget.value])] })}
    >
      <option value="">+ column</option>
      {group('settings that differ', 'setting', settings)}
      {group('metrics, last value', 'metric', metrics)}
    </select>
  );
}
