/** The parts of a page about one run. */
import { answersTable } from './answers-table.ts';
import { figure, type Chart } from './charts.ts';
import { html, type Html, type Part } from './html.ts';
import { legend } from './legend.ts';
import { resultsTable } from './results-table.ts';
import type { EpisodeHead, RunView } from './run-view.ts';
import { episodeWords } from './strip.ts';
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
  return html`<div class="scroll" tabindex="0" role="region" aria-label="runs">
    <table>
      <thead>
        <tr>
          <th scope="col">run</th>
          <th scope="col">status</th>
          <th scope="col">success before</th>
          <th scope="col">success after</th>
          <th scope="col">mean steps after</th>
        </tr>
      </thead>
      <tbody>
        ${runs.map((run) => runRow(run, addressOf(run)))}
      </tbody>
    </table>
  </div>`;
}

/** The name that a person gave it, then the folder's. */
export function labelOf({ title, name }: RunView): string {
  return title === null ? name : `${title} (${name})`;
}

function runRow(run: RunView, address: string | null): Html {
  const [before, after] = ['before', 'after'].map(
    (name) => run.evaluations.find((each) => each.name === name)?.result,
  );
  const label = labelOf(run);
  const name = address === null ? label : html`<a href="${address}">${label}</a>`;
  const share = (value: number | null | undefined) => (value == null ? '' : `${(100 * value).toFixed(0)} %`);
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${run.status ?? 'evaluation'}</td>
    <td class="number">${share(before?.success)}</td>
    <td class="number">
      ${share(after?.success ?? run.evaluations.find((each) => each.name === 'result')?.result.success)}
    </td>
    <td class="number">${after?.mean_steps?.toFixed(1)}</td>
  </tr>`;
}
