/** The list of runs, and the curves of the chosen ones. */
import { useMemo, useState } from 'preact/hooks';
import { useAsked, type Asked } from '../components/address.ts';
import { Charts } from '../components/charts.tsx';
import { coloursOf } from '../components/colour.ts';
import { useLoaded } from '../components/loaded.ts';
import { filteredRows, sortedRows, type RowFilter } from '../data/columns.ts';
import { labelsOf } from '../data/differences.ts';
import type { RunRow } from '../data/run-row.ts';
import type { Source } from '../data/source.ts';
import { counted, nameWords } from '../data/words.ts';
import { RunFilters } from './run-filters.tsx';
import { RunsTable } from './runs-table.tsx';

export interface RunsPageProps {
  readonly source: Source;
  readonly rows: readonly RunRow[];
  /** counts changes of the runs */
  readonly changes: number;
  /** rows without settings and numbers yet */
  readonly unread?: number;
}

/** rows whose curves are drawn before any is chosen */
const atFirst = 3;
/** rows shown at once */
const most = 100;

export function RunsPage({ source, rows, changes, unread = 0 }: RunsPageProps) {
  const [asked, change] = useAsked();
  const [count, setCount] = useState(most);
  const filter = filterOf(asked);
  const sort = asked['sort']?.[0] ?? '-started';
  const isStarredFirst = asked['stars']?.[0] !== 'mixed';
  const shown = useMemo(() => {
    const sorted = sortedRows(filteredRows(rows, filter), sort);
    return isStarredFirst
      ? [...sorted.filter(isStarred), ...sorted.filter((row) => !isStarred(row))]
      : sorted;
  }, [rows, sort, isStarredFirst, JSON.stringify(filter)]);
  const chosen =
    asked['run'] ??
    shown
      .filter(hasCurves)
      .slice(0, atFirst)
      .map(({ name }) => name);
  const choose = (names: readonly string[]) => change({ run: names.length > 0 ? names : [''] });
  const names = chosen.filter((name) => rows.some((row) => row.name === name));
  if (rows.length === 0)
    return (
      <>
        <h1>Runs</h1>
        <p>There is no run in this folder yet. It appears here as soon as one begins.</p>
      </>
    );
  return (
    <>
      <div class="titled">
        <h1>{filter.parent === '' ? 'Runs' : filter.parent}</h1>
        <p class="soft">{countWords(rows, shown) + (unread > 0 ? `, ${unread} still being read` : '')}</p>
      </div>
      <RunFilters rows={rows} asked={asked} filter={filter} change={change} />
      <RunsTable
        rows={shown.slice(0, count)}
        source={source}
        sort={sort}
        extra={asked['column'] ?? []}
        chosen={names}
        choose={choose}
        change={change}
      />
      <p class="under">
        {shown.length > count && (
          <button type="button" onClick={() => setCount(count + 4 * most)}>
            {`show more of ${shown.length}`}
          </button>
        )}
        <Chosen source={source} names={names} choose={choose} />
      </p>
      <ChosenCharts source={source} rows={rows} names={names} changes={changes} />
    </>
  );
}

const isStarred = (row: RunRow) => row.isStarred;
const hasCurves = ({ kind }: RunRow) => kind === 'run';

function filterOf(asked: Asked): RowFilter {
  const of = (name: string) => asked[name]?.[0] ?? '';
  return {
    text: of('q'),
    environment: of('environment'),
    method: of('method'),
    state: of('state'),
    parent: of('parent'),
  };
}

function countWords(rows: readonly RunRow[], shown: readonly RunRow[]): string {
  const running = rows.filter(({ state }) => state === 'running').length;
  const all =
    shown.length === rows.length ? counted(rows.length, 'result') : `${shown.length} of ${rows.length}`;
  return running > 0 ? `${all}, ${running} running` : all;
}

interface ChosenProps {
  readonly source: Source;
  readonly names: readonly string[];
  readonly choose: (names: readonly string[]) => void;
}

function Chosen({ source, names, choose }: ChosenProps) {
  if (names.length === 0) return <span class="soft">Tick runs to draw their curves.</span>;
  const query = new URLSearchParams(names.map((name) => ['run', name]));
  const compared = source.comparison(query.toString());
  return (
    <>
      <span class="soft">{`${names.length} selected`}</span>
      {names.length === 2 && compared !== null && (
        <a class="button" href={compared}>
          compare side by side
        </a>
      )}
      <button type="button" onClick={() => choose([])}>
        clear selection
      </button>
    </>
  );
}

interface ChosenChartsProps extends RunsPageProps {
  readonly names: readonly string[];
}

/** Runs that differ in the seed alone form one line with a band. */
function ChosenCharts({ source, rows, names, changes }: ChosenChartsProps) {
  const { value, fault } = useLoaded(`${names.join(' ')}#${changes}`, () =>
    Promise.all(names.map(async (name) => ({ ...(await source.run(name)), name }))),
  );
  const labelled = useMemo(() => {
    const colours = coloursOf(names);
    const titles = new Map(rows.map(({ name, title }) => [name, title]));
    const runs = (value ?? []).map((run) => ({ ...run, title: titles.get(run.name) ?? run.title }));
    const labels = labelsOf(runs);
    return runs.map(({ name, series }, place) => ({
      label: nameWords(labels[place]!),
      colour: colours.get(name)!,
      series,
    }));
  }, [value]);
  if (fault !== null) return <p class="soft">{fault}</p>;
  return <Charts runs={labelled} title="Curves of the selected runs" />;
}
