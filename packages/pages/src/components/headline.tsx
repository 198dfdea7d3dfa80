/** What was trained, in what, and did it work: to be read in three seconds. */
import type { EvaluationSummary } from '@emac/rollout';
import { labelOf } from '../data/differences.ts';
import { trainingSuccess } from '../data/row-of-view.ts';
import type { RunView } from '../data/run-view.ts';
import {
  durationWords,
  environmentWords,
  methodWords,
  nameWords,
  percent,
  timeWords,
} from '../data/words.ts';
import { State } from './marks.tsx';

export function Headline({ run, isWhole = true }: { readonly run: RunView; readonly isWhole?: boolean }) {
  const { method, environment, policy, state, seconds, started, title, name } = run;
  const what = [method === null ? 'Evaluation' : methodWords(method), policy && `of ${policy}`];
  return (
    <section class="headline" aria-label={`summary of ${name}`}>
      <div class="what">
        {isWhole ? (
          <h1>{title ?? `${what.filter(Boolean).join(' ')}${inWhat(environment)}`}</h1>
        ) : (
          <h2>{nameWords(labelOf(run))}</h2>
        )}
        <p class="facts">
          <State state={state} />
          {(title !== null || !isWhole) && (
            <span>{`${what.filter(Boolean).join(' ')}${inWhat(environment)}`}</span>
          )}
          {seconds !== null && <span>{durationWords(seconds)}</span>}
          {started !== null && <time datetime={started}>{timeWords(started)} UTC</time>}
          {isWhole && <span class="name">{name}</span>}
        </p>
        {run.note !== null && <p class="note">{run.note}</p>}
        {isWhole && <Sentences words={run.words} />}
      </div>
      <Worked run={run} />
    </section>
  );
}

const inWhat = (environment: string | null) =>
  environment === null ? '' : ` in ${environmentWords(environment)}`;

function Sentences({ words }: { readonly words: readonly string[] }) {
  return (
    <div class="sentences">
      {words.map((sentence) => (
        <p>{sentence}</p>
      ))}
    </div>
  );
}

/** The success that counts: on held-out tasks, else on those trained on, else while it trained. */
function Worked({ run }: { readonly run: RunView }) {
  const found = measured(run);
  if (found === null) return null;
  const { from, to, on, interval, detail } = found;
  const direction = from === null || from === to ? '' : to > from ? 'better' : 'worse';
  return (
    <div class={`worked ${direction}`}>
      <p class="big">
        {from !== null && (
          <>
            <span class="from">{percent(from)}</span>
            <span class="arrow" aria-label="to">
              →
            </span>
          </>
        )}
        <strong>{percent(to)}</strong>
      </p>
      <Range from={from} to={to} interval={interval} />
      <p class="on">
        success {on}
        {detail && <small>{detail}</small>}
      </p>
    </div>
  );
}

interface Measured {
  readonly from: number | null;
  readonly to: number;
  readonly on: string;
  readonly interval: readonly [number, number] | null;
  readonly detail: string | null;
}

function measured({ evaluations, series }: Pick<RunView, 'evaluations' | 'series'>): Measured | null {
  const of = (...names: readonly string[]) => evaluations.find(({ name }) => names.includes(name))?.result;
  const [before, after] = [of('before'), of('after', 'result')];
  if (after && after.success !== null) return between(before ?? null, after, 'on held-out tasks');
  if (after && after.seen.success !== null)
    return between(before?.seen ?? null, after.seen, 'on tasks seen in training');
  const training = trainingSuccess(series);
  if (training === null) return null;
  const { y } = training;
  const best = y.reduce((most, value) => Math.max(most, value));
  return {
    from: y.length > 1 ? y[0]! : null,
    to: y.at(-1)!,
    on: 'while training',
    interval: null,
    detail: `best ${percent(best)}`,
  };
}

function between(before: EvaluationSummary | null, after: EvaluationSummary, on: string): Measured {
  const interval = after.success_ci95 ?? null;
  const games = Object.values(after.by_type).reduce((sum, each) => sum + each.games, 0);
  const bounds = interval && `, 95 % interval ${percent(interval[0])} to ${percent(interval[1])}`;
  return {
    from: before?.success ?? null,
    to: after.success!,
    on,
    interval: interval && [interval[0], interval[1]],
    detail: `of ${games}${bounds ?? ''}`,
  };
}

/** Where it began and ended on a line from 0 to 100 %, and its interval. */
function Range({ from, to, interval }: Pick<Measured, 'from' | 'to' | 'interval'>) {
  const at = (share: number) => `${100 * share}%`;
  return (
    <div class="range" aria-hidden="true">
      {interval && (
        <i class="interval" style={{ left: at(interval[0]), width: at(interval[1] - interval[0]) }} />
      )}
      {from !== null && <i class="before" style={{ left: at(from) }} />}
      <i class="after" style={{ left: at(to) }} />
    </div>
  );
}
