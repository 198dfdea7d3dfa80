/** What was trained, in what, and did it work: to be read in three seconds. */
import type { Interval } from '@emac/rollout';
import { countedSuccess, successOf } from '../data/row-of-view.ts';
import type { RunView } from '../data/run-view.ts';
import { certaintyWords, onWords } from '../data/success.ts';
import {
  durationWords,
  environmentWords,
  methodWords,
  nameWords,
  percent,
  timeWords,
} from '../data/words.ts';
import { Change, State } from './marks.tsx';

export function Headline({ run, isWhole = true }: { readonly run: RunView; readonly isWhole?: boolean }) {
  const { method, environment, policy, state, seconds, started, title, name } = run;
  const words = [method === null ? 'Evaluation' : methodWords(method), policy && `of ${policy}`];
  const what = `${words.filter(Boolean).join(' ')}${inWhat(environment)}`;
  const heading = title ?? what;
  return (
    <section class="headline" aria-label={`summary of ${name}`}>
      {isWhole ? <h1>{heading}</h1> : <h2>{heading}</h2>}
      <Worked run={run} />
      <div class="what">
        <p class="facts">
          <State state={state} />
          {title !== null && <span>{what}</span>}
          {seconds !== null && <span>{durationWords(seconds)}</span>}
          {started !== null && <time datetime={started}>{timeWords(started)} UTC</time>}
          <span class="name">{isWhole ? name : nameWords(name)}</span>
        </p>
        {run.note !== null && <p class="note">{run.note}</p>}
        {isWhole && <Sentences words={run.words} />}
      </div>
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

/** The success that counts, how it changed, and how sure that is. */
function Worked({ run }: { readonly run: RunView }) {
  const success = successOf(run);
  const counted = countedSuccess(success);
  if (counted === null) return null;
  const { before: from, after, on } = counted;
  const { share: to, interval } = after;
  const detail = on === 'while training' ? `highest ${percent(success.best!)}` : certaintyWords(after);
  return (
    <div class="worked">
      <p class="on">{`success ${onWords(on)}${from === null ? '' : `, ${beforeWords(on)}`}`}</p>
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
      <Change success={counted} />
      <Range from={from} to={to} interval={interval} />
      {detail !== '' && <small>{detail}</small>}
    </div>
  );
}

const beforeWords = (on: string) => (on === 'while training' ? 'first → last' : 'before → after');

interface RangeProps {
  readonly from: number | null;
  readonly to: number;
  readonly interval: Interval | null;
}

/** Where it began and ended on a line from 0 to 100 %, its interval, and what each mark is. */
function Range({ from, to, interval }: RangeProps) {
  const at = (share: number) => `${100 * share}%`;
  return (
    <div class="ranged" aria-hidden="true">
      <span>0 %</span>
      <div class="range">
        {interval && (
          <i class="interval" style={{ left: at(interval[0]), width: at(interval[1] - interval[0]) }} />
        )}
        {from !== null && <i class="before" style={{ left: at(from) }} />}
        <i class="after" style={{ left: at(to) }} />
      </div>
      <span>100 %</span>
      <span class="marks">
        {from !== null && <span class="before">before</span>}
        <span class="after">{from === null ? 'success' : 'after'}</span>
        {interval && <span class="interval">95 % interval</span>}
      </span>
    </div>
  );
}
