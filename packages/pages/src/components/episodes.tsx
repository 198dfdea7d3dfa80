/** Episodes to be opened, with fields that choose among them; each as a strip, a film, or a table of its samples. */
import { useMemo, useState } from 'preact/hooks';
import type { Source } from '../data/source.ts';
import type { EpisodeHead, EpisodeView } from '../data/run-view.ts';
import { Film } from './film.tsx';
import { PictureLegend } from './picture-legend.tsx';
import { useLoaded } from './loaded.ts';
import { Samples } from './samples.tsx';
import { EpisodeWords, Strip } from './strip.tsx';

export interface EpisodesProps {
  readonly source: Source;
  /** the run's, in addresses */
  readonly name: string;
  readonly episodes: readonly EpisodeHead[];
  /** shown under the heading */
  readonly note?: string | null;
}

interface Filter {
  readonly outcome: string;
  readonly type: string;
  readonly text: string;
}

/** episodes shown at once */
const most = 100;

export function Episodes({ source, name, episodes, note = null }: EpisodesProps) {
  const [filter, setFilter] = useState<Filter>({ outcome: '', type: '', text: '' });
  const [count, setCount] = useState(most);
  const types = useMemo(
    () => [...new Set(episodes.flatMap(({ taskType }) => taskType ?? []))].sort(),
    [episodes],
  );
  const meant = episodes.filter((head) => isMeant(head, filter));
  if (episodes.length === 0) return null;
  return (
    <section>
      <div class="titled">
        <h2>Episodes</h2>
        <Filters filter={filter} types={types} change={setFilter} shown={meant.length} />
      </div>
      {note !== null && <p class="soft">{note}</p>}
      <div id="episodes">
        {meant.slice(0, count).map((head) => (
          <Episode key={head.episode} head={head} source={source} name={name} />
        ))}
      </div>
      {meant.length > count && (
        <button type="button" onClick={() => setCount(count + 10 * most)}>
          {`show more of ${meant.length}`}
        </button>
      )}
      <PictureLegend />
    </section>
  );
}

function isMeant({ won, taskType, taskId }: EpisodeHead, { outcome, type, text }: Filter): boolean {
  const isAs = outcome === '' || outcome === (won ? 'won' : 'lost');
  return isAs && (type === '' || type === taskType) && taskId.toLowerCase().includes(text.toLowerCase());
}

interface FiltersProps {
  readonly filter: Filter;
  readonly types: readonly string[];
  readonly change: (filter: Filter) => void;
  readonly shown: number;
}

function Filters({ filter, types, change, shown }: FiltersProps) {
  const select = (name: 'outcome' | 'type', values: readonly string[]) => (
    <select
      name={name}
      value={filter[name]}
      onChange={(event) => change({ ...filter, [name]: event.currentTarget.value })}
    >
      <option value="">all</option>
      {values.map((value) => (
        <option value={value}>{value}</option>
      ))}
    </select>
  );
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <label>outcome {select('outcome', ['won', 'lost'])}</label>
      {types.length > 0 && <label>type of task {select('type', types)}</label>}
      <label>
        name
        <input
          name="text"
          type="search"
          value={filter.text}
          onInput={(event) => change({ ...filter, text: event.currentTarget.value })}
        />
      </label>
      <output>{`${shown} shown`}</output>
    </form>
  );
}

function Episode({
  head,
  source,
  name,
}: {
  readonly head: EpisodeHead;
  readonly source: Source;
  readonly name: string;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      id={`episode-${head.episode}`}
      data-outcome={head.won ? 'won' : 'lost'}
      onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary>
        <EpisodeWords head={head} />
      </summary>
      {isOpen && <Opened episode={head.episode} source={source} name={name} />}
    </details>
  );
}

const ways = ['strip', 'film', 'samples'] as const;

function Opened({
  episode,
  source,
  name,
}: {
  readonly episode: number;
  readonly source: Source;
  readonly name: string;
}) {
  const { value, fault } = useLoaded(`${name} ${episode}#`, () => source.episode(name, episode));
  const [way, setWay] = useState<(typeof ways)[number]>('strip');
  if (fault !== null) return <p class="soft">{fault}</p>;
  if (value === null) return <p class="soft">…</p>;
  const frame = (file: string) => source.frame(name, file);
  return (
    <div class="opened">
      <Task view={value} />
      <div class="ways" role="group" aria-label="shown as">
        {ways.map((each) => (
          <button type="button" aria-pressed={each === way} onClick={() => setWay(each)}>
            {each}
          </button>
        ))}
      </div>
      {way === 'strip' && <Strip view={value} frame={frame} />}
      {way === 'film' && <Film films={[{ name, view: value, frame }]} />}
      {way === 'samples' && <Samples episodes={[value]} />}
    </div>
  );
}

function Task({ view: { task, memories, parts } }: { readonly view: EpisodeView }) {
  return (
    <>
      <p>
        <strong>Task:</strong> {task}
        {parts !== null && (
          <span class="soft">{` Policy and expert first differ at step ${parts + 1}, marked.`}</span>
        )}
      </p>
      {memories.length > 0 && (
        <ul aria-label="lessons from earlier attempts">
          {memories.map((lesson) => (
            <li>{lesson}</li>
          ))}
        </ul>
      )}
    </>
  );
}
