/** An attempt of GRPO's family as a table: steps down, their advantages as numbers and bars. */
import { html, Html, type Part } from './html.ts';
import type { AttemptView, CreditedStepView } from './read-attempt.ts';

/** Null without an attempt. */
export function attemptTable(view: AttemptView | null): Html | null {
  if (!view || view.shown.length === 0) return null;
  const { update, attempt, task, won, steps, reward, among, shown } = view;
  const isCompared = shown.some(({ own }) => own !== null);
  const outcome = won ? html`<span class="won">won</span>` : html`<span class="lost">not won</span>`;
  const choice =
    among > 1 ? ` Of the ${among} newest recorded attempts this one has the steps that differ most.` : '';
  const part = shown.length < steps ? ` Steps 1 to ${shown.length} are shown.` : '';
  return html`<section>
    <h2>Advantages of one attempt</h2>
    <p>
      ${outcome} in ${counted(steps)}, reward ${short(reward)}: ${task}
      <span class="soft">(update ${update}, attempt ${attempt})</span>.${choice}${part}
    </p>
    <p class="soft">${isCompared ? stepsCompared : attemptsCompared}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="advantages of attempt ${attempt}">
      <table class="credits">
        <thead>
          <tr>
            <th scope="col">step</th>
            <th scope="col">observed</th>
            <th scope="col">answer</th>
            <th scope="col" class="number">reward</th>
            <th scope="col" class="number">advantage of the attempt</th>
            ${
              isCompared
                ? html`<th scope="col" class="number">advantage of the step</th>
                    <th scope="col" class="number">steps from this state</th>
                    <th scope="col" class="number">in the loss</th>`
                : null
            }
          </tr>
        </thead>
        <tbody>
          ${shown.map((step, index) => stepRow(step, index + 1, { view, isCompared, widest: widestOf(view) }))}
        </tbody>
      </table>
    </div>
  </section>`;
}

const attemptsCompared =
  'Every step has the advantage of its attempt: the reward compared with those of the other attempts at the task.';
const stepsCompared =
  'The attempt is compared with the other attempts at the task. A step is compared with all steps of these attempts from the same state; alone in its state it has 0. The loss takes the last column.';

interface Row {
  readonly view: AttemptView;
  readonly isCompared: boolean;
  /** a full bar */
  readonly widest: number;
}

function stepRow(
  { observed, answer, command, reward, own, alike, advantage }: CreditedStepView,
  number: number,
  { view, isCompared, widest }: Row,
): Html {
  const done = command === answer.trim() ? null : html` <span class="soft">(done: ${command})</span>`;
  return html`<tr>
    <th scope="row">${number}</th>
    <td class="words">${observed}</td>
    <td class="words">${answer.trim()}${done}</td>
    <td class="number">${short(reward)}</td>
    <td class="number">${signed(view.advantage)}${bar(view.advantage, widest)}</td>
    ${
      isCompared
        ? html`<td class="number">${own === null ? null : [signed(own), bar(own, widest)]}</td>
            <td class="number">${alike}</td>
            <td class="number">${signed(advantage)}</td>`
        : null
    }
  </tr>`;
}

/** Grows from the middle, to the right for an advantage above 0. */
function bar(value: number, widest: number): Part {
  const width = widest > 0 ? ((50 * Math.abs(value)) / widest).toFixed(1) : '0';
  return html`<span class="bar" aria-hidden="true"
    ><i class="${value < 0 ? 'below' : 'above'}" style="width:${width}%"></i
  ></span>`;
}

function widestOf({ advantage, shown }: AttemptView): number {
  return Math.max(Math.abs(advantage), ...shown.map(({ own }) => Math.abs(own ?? 0)));
}

const counted = (steps: number) => `${steps} step${steps === 1 ? '' : 's'}`;
const short = (value: number) => String(Number(value.toPrecision(3))).replace('-', '−');
const signed = (value: number) => `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value).toFixed(2)}`;
