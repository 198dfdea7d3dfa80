/** Recorded attempts of a group method: steps down, their advantages as numbers and bars. */
import { useState } from 'preact/hooks';
import type { AttemptView, CreditedStepView } from '../data/attempt-view.ts';
import { counted, short, signed } from '../data/words.ts';
import { Outcome, Signed } from './marks.tsx';
import { Table } from './table.tsx';

/** At first that whose steps differ most, the newest among equals. */
export function Attempts({ attempts }: { readonly attempts: readonly AttemptView[] }) {
  const [chosen, choose] = useState<number | null>(null);
  const most = attempts.reduce((best, each) => (each.spread >= best ? each.spread : best), -1);
  const view =
    attempts.find(({ attempt }) => attempt === chosen) ?? attempts.findLast(({ spread }) => spread === most);
  if (!view || view.shown.length === 0) return null;
  const { attempt, task, won, steps, reward, shown } = view;
  const isCompared = shown.some(({ own }) => own !== null);
  const widest = Math.max(Math.abs(view.advantage), ...shown.map(({ own }) => Math.abs(own ?? 0)));
  return (
    <section>
      <div class="titled">
        <h2>Advantages, step by step</h2>
        {attempts.length > 1 && (
          <label class="controls">
            attempt
            <select
              name="attempt"
              value={attempt}
              onChange={(event) => choose(Number(event.currentTarget.value))}
            >
              {attempts.map((each) => (
                <option
                  value={each.attempt}
                >{`update ${each.update}, ${each.won ? 'won' : 'not won'}`}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      <p>
        <Outcome won={won} /> {`in ${counted(steps, 'step')}, reward ${short(reward)}: ${task}`}
        {shown.length < steps && <span class="soft">{` Steps 1 to ${shown.length} are shown.`}</span>}
      </p>
      <Table
        label={`advantages of attempt ${attempt}`}
        className="credits"
        columns={[
          'step',
          { name: 'observed', kind: 'words' },
          { name: 'answer', kind: 'words' },
          'reward',
          'of the attempt',
          ...(isCompared ? ['of the step', 'steps alike', 'in the loss'] : []),
        ]}
        rows={shown.map((step, index) => [
          index + 1,
          ...stepCells(step, { attempt: view, widest, isCompared }),
        ])}
      />
      <p class="soft">{isCompared ? stepsCompared : attemptsCompared}</p>
    </section>
  );
}

const attemptsCompared =
  'Every step has the advantage of its attempt: the reward compared with those of the other attempts at the task.';
const stepsCompared =
  'An attempt is compared with the others at its task, a step with all steps of these attempts from the same state.';

function stepCells(
  { observed, answer, command, reward, own, alike, advantage }: CreditedStepView,
  {
    attempt,
    widest,
    isCompared,
  }: { readonly attempt: AttemptView; readonly widest: number; readonly isCompared: boolean },
) {
  const said = (value: number) => (
    <>
      {signed(value)}
      <Signed value={value} widest={widest} />
    </>
  );
  return [
    observed,
    <>
      {answer.trim()}
      {command !== answer.trim() && <span class="soft">{` (done: ${command})`}</span>}
    </>,
    short(reward),
    said(attempt.advantage),
    ...(isCompared ? [own === null ? null : said(own), alike, signed(advantage)] : []),
  ];
}
