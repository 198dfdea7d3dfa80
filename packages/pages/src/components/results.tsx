/** Results by type of task: evaluations side by side, and how the prompts of a dataset were answered. */
import type { AnswerSummary, EvaluationSummary, Interval } from '@emac/rollout';
import type { ComponentChildren } from 'preact';
import type { EvaluationView, RunView } from '../data/run-view.ts';
import { rangeWords } from '../data/success.ts';
import { percent } from '../data/words.ts';
import { Table } from './table.tsx';

type Result = EvaluationView['result'];

const measures = ['success', 'won', 'mean steps'];

/** A row per type, one for all games, and one for games trained on; before and after stand side by side in each measure. */
export function Results({ name, evaluations }: Pick<RunView, 'name' | 'evaluations'>) {
  if (evaluations.length === 0) return null;
  const types = [...new Set(evaluations.flatMap(({ result }) => Object.keys(result.by_type)))].sort();
  const row = (head: string, of: (result: Result) => readonly ComponentChildren[]) => {
    const found = evaluations.map(({ result }) => of(result));
    return [head, ...measures.flatMap((_, place) => found.map((each) => each[place]))];
  };
  const has = (value: (result: Result) => unknown) => evaluations.some(({ result }) => value(result) != null);
  return (
    <section>
      <h2>Results by type of task</h2>
      <Table
        label={`results of ${name} by type of task`}
        className="by-type"
        columns={[
          'type of task',
          ...measures.flatMap((head) => evaluations.map((each) => `${head} ${each.name}`)),
        ]}
        rows={[
          ...types.map((type) => row(type, ({ by_type: byType }) => cells(byType[type]))),
          row('all', (result) => cells(wholeOf(result, result, false))),
          ...(has((result) => result.pass_at?.at(-1)) ? [row('won in any attempt (pass@k)', passCells)] : []),
          ...(has((result) => result.seen.success)
            ? [row('seen in training, counted apart', (result) => cells(wholeOf(result.seen, result, true)))]
            : []),
        ]}
      />
    </section>
  );
}

type Counted = Omit<Result['by_type'][string], 'success_ci95'> & {
  /** results of earlier versions have none by type */
  readonly success_ci95?: Interval | null;
};

const nothing = [null, null, null];

function cells(of: Counted | null | undefined): readonly ComponentChildren[] {
  if (!of) return nothing;
  return [
    <>
      {percent(of.success)}
      <Bounds of={of.success_ci95} />
    </>,
    `${of.won} of ${of.games}`,
    of.mean_steps.toFixed(1),
  ];
}

/** Null if no game is of this kind. */
function wholeOf(
  { success, success_ci95, mean_steps }: EvaluationSummary,
  { games }: Result,
  isSeen: boolean,
): Counted | null {
  if (success === null) return null;
  const counted = games.filter(({ seen_in_training }) => seen_in_training === isSeen);
  const won = counted.filter((game) => game.won).length;
  return { success, success_ci95, mean_steps: mean_steps!, won, games: counted.length };
}

/** Of an evaluation with several attempts at each game. */
function passCells({ pass_at }: Result): readonly ComponentChildren[] {
  const pass = pass_at?.at(-1);
  if (!pass) return nothing;
  const rate = (
    <>
      {percent(pass.rate)}
      <Bounds of={pass.ci95} />
    </>
  );
  return [rate, `k = ${pass.k}`, null];
}

function Bounds({ of }: { readonly of: Interval | null | undefined }) {
  return of ? <span class="soft bounds">{` (${rangeWords(of)})`}</span> : null;
}

/** A row for each type and one for all samples of a dataset. */
export function Answers({ name, answers }: Pick<RunView, 'name' | 'answers'>) {
  if (answers === null) return null;
  const row = (type: string, { samples, exact_match, token_accuracy, bleu, loss }: AnswerSummary) => [
    type,
    samples,
    exact_match === null ? null : percent(exact_match),
    token_accuracy === null ? null : percent(token_accuracy),
    bleu?.toFixed(3),
    loss?.toFixed(4),
  ];
  return (
    <section>
      <h2>Answers by type of task</h2>
      <Table
        label={`answers of ${name} by type of task`}
        columns={['type of task', 'samples', 'exact match', 'token accuracy', 'BLEU', 'loss']}
        rows={[
          ...Object.entries(answers.by_task_type).map(([type, summary]) => row(type, summary)),
          row('all', answers),
        ]}
      />
    </section>
  );
}
