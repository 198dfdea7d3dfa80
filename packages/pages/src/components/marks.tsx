/** Small marks: how a run stands, how an episode ended, a run's colour, a share as a bar. */
import { certaintyWords, changeWords, shareWords, verdictOf, type Success } from '../data/success.ts';
import { percent } from '../data/words.ts';
import { Sparkline } from './sparkline.tsx';

/** `null` where nothing runs: nothing is shown. */
export function State({ state }: { readonly state: string | null }) {
  return state === null ? null : <span class={`state ${state}`}>{state}</span>;
}

export function Outcome({ won, expertWon = false }: { readonly won: boolean; readonly expertWon?: boolean }) {
  return won ? (
    <span class="won">won</span>
  ) : (
    <span class="lost">{expertWon ? 'not won, finished by the expert' : 'not won'}</span>
  );
}

/** `repeat`: see `repeatsOf` */
export function Swatch({ colour, repeat = 0 }: { readonly colour: number; readonly repeat?: number }) {
  return (
    <i class={`swatch form-${repeat % 4}`} style={{ color: `var(--run-${colour})` }} aria-hidden="true" />
  );
}

/** A share as a number over a bar. */
export function Share({ share }: { readonly share: number | null }) {
  if (share === null) return null;
  return (
    <span class="share">
      {percent(share)}
      <i aria-hidden="true">
        <b style={{ width: `${100 * share}%` }} />
      </i>
    </span>
  );
}

const colours = { 'significant gain': 'won', 'significant loss': 'lost', 'no significant change': 'soft' };

/** `+41 points, significant gain`, in colour only if more than chance; nothing without a success before. */
export function Change({ success }: { readonly success: Success }) {
  const verdict = verdictOf(success);
  const words = changeWords(success);
  return words === '' ? null : (
    <span class={`change ${verdict === null ? 'soft' : colours[verdict]}`}>{words}</span>
  );
}

/** A row's success: where it began and ended, what changed, how sure that is, and its course while training. */
export function SuccessMark({
  success,
  curve,
}: {
  readonly success: Success;
  readonly curve: readonly number[];
}) {
  const { on, after } = success;
  const certainty = certaintyWords(after).replace('95 % interval ', '');
  return (
    <span class="success">
      <b>{shareWords(success)}</b> <Change success={success} />
      <Sparkline shares={curve} />
      <small class="soft">{`${on}${certainty && `: ${certainty}`}`}</small>
    </span>
  );
}

/** An advantage as a bar from the middle, to the right above 0. */
export function Signed({ value, widest }: { readonly value: number; readonly widest: number }) {
  const width = widest > 0 ? (50 * Math.abs(value)) / widest : 0;
  return (
    <span class="signed" aria-hidden="true">
      <i class={value < 0 ? 'below' : 'above'} style={{ width: `${width.toFixed(1)}%` }} />
    </span>
  );
}
