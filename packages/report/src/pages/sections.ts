/** The parts of a page about one run. */
import { figure, type Chart } from './charts.ts';
import { html, type Html, type Part } from './html.ts';
import { legend } from './legend.ts';
import { answersTable, percent, resultsTable } from './results-table.ts';
import type { EpisodeHead, RunView } from './run-view.ts';
import { episodeWords } from './strip.ts';
import { tableOf } from './table.ts';
import { wordsOf } from './words.ts';

/** Method and result of a run, and its settings, folded. */
export function summary(view: RunView): Html {
  const { name, command, config } = view;
  return html`<section aria-label="summary of ${name}">
    ${wordsOf(view).map((sentence) => html`<p>${sentence}</p>`)}
    ${command && html`<pre>${command.trim()}</pre>`} ${resultsTable(view)} ${answersTable(view)}
    ${
      config &&
      html`<details id="settings">
        <summary>Every setting with the value in use</summary>
        <pre>${config}</pre>
      </details>`
    }
  </section>`;
}

/** `still`: the constant series, in words. */
export function curves(charts: readonly Chart[], still: readonly string[]): Html | null {
  if (charts.length + still.length === 0) return null;
  return html`<section>
    <h2>Curves</h2>
    <div class="charts">${charts.map(figure)}</div>
    ${still.length > 0 ? html`<p class="soft">Unchanged: ${still.join(', ')}.</p>` : null}
  </section>`;
}

export interface EpisodeList {
  /** the content of the list, for its heading */
  readonly title: string;
  readonly episodes: readonly EpisodeHead[];
  /** the strip itself, or the address that it is fetched from */
  readonly stripOf: (head: EpisodeHead) => { readonly strip: Part } | { readonly address: string };
  /** shown under the heading */
  readonly note?: string;
}

/** Episodes to be opened, with fields that choose among them. */
export function episodeList({ title, episodes, stripOf, note }: EpisodeList): Html | null {
  if (episodes.length === 0) return null;
  const types = [...new Set(episodes.flatMap(({ taskType }) => taskType ?? []))].sort();
  return html`<section>
    <h2>${title}</h2>
    ${note && html`<p class="soft">${note}</p>`} ${legend()}
    <form class="filter" data-filters="episodes">
      <label
        >outcome<select name="outcome">
          <option value="">all</option>
          <option>won</option>
          <option>lost</option>
        </select></label
      >
      ${types.length === 0 ? null : typeFilter(types)}
      <label>words in the name<input name="text" type="search" /></label>
      <output></output>
    </form>
    <div id="episodes">${episodes.map((head) => episodeItem(head, stripOf(head)))}</div>
  </section>`;
}

function typeFilter(types: readonly string[]): Html {
  return html`<label
    >type of task<select name="type">
      <option value="">all</option>
      ${types.map((type) => html`<option>${type}</option>`)}
    </select></label
  >`;
}

function episodeItem(head: EpisodeHead, content: ReturnType<EpisodeList['stripOf']>): Html {
  const { episode, taskId, taskType, won } = head;
  const inside =
    'strip' in content
      ? html`<div>${content.strip}</div>`
      : html`<div data-strip="${content.address}">…</div>`;
  return html`<details
    id="episode-${episode}"
    data-outcome="${won ? 'won' : 'lost'}"
    data-type="${taskType ?? ''}"
    data-text="${taskId.toLowerCase()}"
  >
    <summary>${episodeWords(head)}</summary>
    ${inside}
  </details>`;
}

/** Several runs, one line each. */
export function runTable(runs: readonly RunView[], addressOf: (run: RunView) => string | null): Html {
  return tableOf({
    label: 'runs',
    columns: ['run', { name: 'status', kind: 'text' }, 'success before', 'success after', 'mean steps after'],
    rows: runs.map((run) => runCells(run, addressOf(run))),
  });
}

/** The name that a person gave it, then the folder's. */
export function labelOf({ title, name }: RunView): string {
  return title === null ? name : `${title} (${name})`;
}

function runCells(run: RunView, address: string | null): readonly Part[] {
  const [before, after, result] = ['before', 'after', 'result'].map(
    (name) => run.evaluations.find((each) => each.name === name)?.result,
  );
  const label = labelOf(run);
  const share = (value: number | null | undefined) => (value == null ? null : percent(value));
  return [
    address === null ? label : html`<a href="${address}">${label}</a>`,
    run.status ?? 'evaluation',
    share(before?.success),
    share(after?.success ?? result?.success),
    after?.mean_steps?.toFixed(1),
  ];
}
