/** An episode as a strip of pictures, with the words of policy, expert and environment. */
import { html, type Html } from './html.ts';
import type { EpisodeHead, EpisodeView, StepView } from './run-view.ts';

/** URL of a picture; null if it is inside the page. */
export type AddressOf = (name: string) => string | null;

/** One line about an episode's course. */
export function episodeWords({ episode, round, taskId, taskType, won, expertWon, steps }: EpisodeHead): Html {
  const outcome = won
    ? html`<span class="won">won</span>`
    : html`<span class="lost">${expertWon ? 'won with the expert' : 'not won'}</span>`;
  const place = round === null ? `game ${episode + 1}` : `round ${round + 1}, episode ${episode + 1}`;
  const count = `${steps} step${steps === 1 ? '' : 's'}`;
  return html`${outcome} in ${count}: ${taskType ?? taskId}
    <span class="soft">(${taskType === null ? place : `${place}, ${taskId}`})</span>`;
}

/** The episode, with its pictures' names (`data-frame`) and, if served, URLs; the page's script shows them. */
export function strip(view: EpisodeView, addressOf: AddressOf = () => null): Html {
  const { task, observation, frames, shown, memories, parts } = view;
  const lessons =
    memories.length === 0
      ? null
      : html`<p>Lessons from earlier attempts:</p>
          <ul>
            ${memories.map((lesson) => html`<li>${lesson}</li>`)}
          </ul>`;
  const departs =
    parts === null
      ? null
      : html`<p>Policy and expert first disagree at step ${parts + 1}, marked above its picture.</p>`;
  return html`<p><strong>Task:</strong> ${task}</p>
    ${lessons}${departs}
    <ol class="strip" tabindex="0" aria-label="steps of the episode">
      <li>
        ${pictures(frames, { when: 'before the first step', addressOf })}
        <dl>
          <dt>first observation</dt>
          <dd>${observation}</dd>
        </dl>
      </li>
      ${shown.map((step, index) => stepItem(step, { number: index + 1, isParting: index === parts, addressOf }))}
    </ol>`;
}

interface Shown {
  readonly number: number;
  readonly isParting: boolean;
  readonly addressOf: AddressOf;
}

function stepItem(
  { command, own, label, reason, thoughts, observation, frames }: StepView,
  { number, isParting, addressOf }: Shown,
): Html {
  const said =
    own === null
      ? null
      : html`<dt>policy</dt>
          <dd>${own}</dd>`;
  const expert =
    label === null
      ? reason &&
        html`<dt>expert</dt>
          <dd class="soft">no usable label: ${reason}</dd>`
      : html`<dt>expert</dt>
          <dd>${label}</dd>`;
  const thought = thoughts.map(
    (each) =>
      html`<dt>expert’s thought</dt>
        <dd>${each}</dd>`,
  );
  const done =
    command === own
      ? null
      : html`<dt>done</dt>
          <dd>${command}</dd>`;
  return html`<li class="${isParting ? 'parts' : ''}">
    ${pictures(frames, { when: `after step ${number}`, addressOf })}
    <dl>
      <dt>step</dt>
      <dd>${number}</dd>
      ${said}${thought}${expert}${done}
      <dt>answer</dt>
      <dd>${observation}</dd>
    </dl>
  </li>`;
}

function pictures(
  names: readonly string[],
  { when, addressOf }: { readonly when: string; readonly addressOf: AddressOf },
): Html[] {
  return names.map((name) => {
    const address = addressOf(name);
    const source = address === null ? null : html`data-source="${address}"`;
    return html`<img data-frame="${name}" ${source} alt="what is seen ${when}" width="224" height="224" />`;
  });
}
