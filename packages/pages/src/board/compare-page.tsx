/** Two runs or more side by side: results, the settings that differ, curves, and films of the same task. */
import { useMemo, useState } from 'preact/hooks';
import { Charts } from '../components/charts.tsx';
import { coloursOf } from '../components/colour.ts';
import { Film, type Filmed } from '../components/film.tsx';
import { Headline } from '../components/headline.tsx';
import { useLoaded } from '../components/loaded.ts';
import { Table } from '../components/table.tsx';
import { differingSettings, labelOf } from '../data/differences.ts';
import type { RunView } from '../data/run-view.ts';
import type { Source } from '../data/source.ts';
import { nameWords } from '../data/words.ts';

export interface ComparePageProps {
  readonly source: Source;
  /** `name` is that in addresses */
  readonly runs: readonly RunView[];
}

export function ComparePage({ source, runs }: ComparePageProps) {
  const labelled = useMemo(() => {
    const colours = coloursOf(runs.map(({ name }) => name));
    return runs.map((run) => ({
      label: nameWords(labelOf(run)),
      colour: colours.get(run.name)!,
      series: run.series,
    }));
  }, [runs]);
  return (
    <>
      <h1>{`${runs.length} runs side by side`}</h1>
      <div class="sides">
        {runs.map((run) => (
          <Headline run={run} isWhole={false} />
        ))}
      </div>
      <Differences runs={runs} />
      <Charts runs={labelled} />
      <SameTask source={source} runs={runs} />
    </>
  );
}

function Differences({ runs }: Pick<ComparePageProps, 'runs'>) {
  const found = differingSettings(runs.map(({ settings }) => settings));
  const isShared = ({ values }: Differing) => values.every((value) => value !== null);
  const alone = found.filter((each) => !isShared(each));
  return (
    <section>
      <h2>Settings that differ</h2>
      <DifferingTable label="settings that differ" runs={runs} found={found.filter(isShared)} />
      {alone.length > 0 && (
        <details id="alone">
          <summary>{`Settings that not all have (${alone.length})`}</summary>
          <DifferingTable label="settings that not all have" runs={runs} found={alone} />
        </details>
      )}
    </section>
  );
}

type Differing = ReturnType<typeof differingSettings>[number];

interface DifferingTableProps extends Pick<ComparePageProps, 'runs'> {
  readonly label: string;
  readonly found: readonly Differing[];
}

function DifferingTable({ label, runs, found }: DifferingTableProps) {
  if (found.length === 0) return <p class="soft">None.</p>;
  return (
    <Table
      label={label}
      columns={['setting', ...runs.map((run) => ({ name: nameWords(labelOf(run)), kind: 'text' as const }))]}
      rows={found.map(({ name, values }) => [name, ...values.map((value) => String(value ?? '–'))])}
    />
  );
}

/** The last episode of each run at a task that all have played. */
function SameTask({ source, runs }: ComparePageProps) {
  const tasks = useMemo(() => sharedTasks(runs), [runs]);
  const [chosen, choose] = useState<string | null>(null);
  const task = tasks.find((each) => each === chosen) ?? tasks[0] ?? null;
  const { value, fault } = useLoaded(`${task} ${runs.map(({ name }) => name).join(' ')}#`, () =>
    Promise.all(runs.map((run) => filmOf(source, run, task))),
  );
  if (task === null) return null;
  const films = (value ?? []).filter((film) => film !== null);
  return (
    <section>
      <div class="titled">
        <h2>The same task, played by each</h2>
        <label class="controls">
          task
          <select name="task" value={task} onChange={(event) => choose(event.currentTarget.value)}>
            {tasks.map((each) => (
              <option value={each}>{each}</option>
            ))}
          </select>
        </label>
      </div>
      {fault !== null && <p class="soft">{fault}</p>}
      {films.length > 0 && <Film key={task} films={films} />}
    </section>
  );
}

function sharedTasks(runs: readonly RunView[]): string[] {
  const [first, ...others] = runs.map(({ episodes }) => new Set(episodes.map(({ taskId }) => taskId)));
  return [...(first ?? [])].filter((task) => others.every((tasks) => tasks.has(task)));
}

async function filmOf(source: Source, run: RunView, task: string | null): Promise<Filmed | null> {
  const head = run.episodes.findLast(({ taskId }) => taskId === task);
  if (!head) return null;
  const view = await source.episode(run.name, head.episode);
  return { name: nameWords(labelOf(run)), view, frame: (file) => source.frame(run.name, file) };
}
