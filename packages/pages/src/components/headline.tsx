/** What was trained, in what, and did it work: to be read in three seconds. */
import type { Interval } from '@emac/rollout';
import { labelOf } from '../data/differences.ts';
import { countedSuccess, successOf } from '../data/row-of-view.ts';
import type { RunView } from '../data/run-view.ts';
import { certaintyWords } from '../data/success.ts';
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

/** The success that counts, and how sure it is. */
function Worked({ run }: { readonly run: RunView }) {
  const success = successOf(run);
  const counted = countedSuccess(success);
  if (counted === null) return null;
  const { before: from, after, on } = counted;
  const { share: to, interval } = after;
  const direction = from === null || from === to ? '' : to > from ? 'better' : 'worse';
  const detail = on === 'while training' ? `highest ${percent(success.best!)}` : certaintyWords(after);
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
        {`success, ${on}`}
        {detail !== '' && <small>{detail}</small>}
      </p>
    </div>
  );
}

interface RangeProps {
  readonly from: number | null;
  readonly to: number;
  readonly interval: Interval | null;
}

/** Where it began and ended on a line from 0 to 100 %, and its interval. */
function Range({ from, to, interval }: RangeProps) {
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
