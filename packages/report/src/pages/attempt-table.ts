/** An attempt of GRPO's family as a table: steps down, their advantages as numbers and bars. */
import { html, type Html, type Part } from './html.ts';
import type { AttemptView, CreditedStepView } from './read-attempt.ts';
import { tableOf } from './table.ts';

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
    ${tableOf({
      label: `advantages of attempt ${attempt}`,
      className: 'credits',
      columns: [
        'step',
        { name: 'observed', kind: 'words' },
        { name: 'answer', kind: 'words' },
        'reward',
        'advantage of the attempt',
        ...(isCompared ? ['advantage of the step', 'steps from this state', 'in the loss'] : []),
      ],
      rows: shown.map((step, index) => [index + 1, ...stepCells(step, view, isCompared)]),
    })}
  </section>`;
}

const attemptsCompared =
  'Every step has the advantage of its attempt: the reward compared with those of the other attempts at the task.';
const stepsCompared =
  'The attempt is compared with the other attempts at the task. A step is compared with all steps of these attempts from the same state; alone in its state it has 0. The loss takes the last column.';

function stepCells(
  { observed, answer, command, reward, own, alike, advantage }: CreditedStepView,
  view: AttemptView,
  isCompared: boolean,
): readonly Part[] {
  const widest = widestOf(view);
  const done = command === answer.trim() ? null : html` <span class="soft">(done: ${command})</span>`;
  return [
    observed,
    [answer.trim(), done],
    short(reward),
    [signed(view.advantage), bar(view.advantage, widest)],
    ...(isCompared ? [own === null ? null : [signed(own), bar(own, widest)], alike, signed(advantage)] : []),
  ];
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
