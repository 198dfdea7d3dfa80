/** How well answers are said when the tokens before are right: by game, by kind of token. */
import { kinds, type EncodedSample, type Kind } from './encode.ts';

/** A token counts as said where its probability is over one half. */
export class Tally {
  readonly #counts = new Map<string, { said: number; all: number }>();

  /** Log-probabilities of the answers' tokens, row by row. */
  add(rows: readonly EncodedSample[], logProbabilities: Float32Array): void {
    let at = 0;
    for (const { sample, kinds: own } of rows) {
      let right = true;
      for (const kind of own) {
        const said = logProbabilities[at++]! > Math.log(0.5);
        this.#count(sample.id, kind, said);
        if (kind === 'reading' && !said) right = false;
      }
      if (own.includes('reading')) this.#count(sample.id, 'frame', right);
    }
  }

  /** Shares by game and kind; `frame`: of samples whose whole reading is right. */
  shares(): Record<string, Partial<Record<Kind | 'frame', number>>> {
    const ids = [...new Set([...this.#counts.keys()].map((key) => key.split(' ')[0]!))].sort();
    return Object.fromEntries(ids.map((id) => [id, this.#sharesOf(id)]));
  }

  #sharesOf(id: string): Partial<Record<Kind | 'frame', number>> {
    const found = (['frame', ...kinds] as const).flatMap((kind) => {
      const count = this.#counts.get(`${id} ${kind}`);
      return count ? [[kind, +(count.said / count.all).toFixed(3)] as const] : [];
    });
    return Object.fromEntries(found);
  }

  #count(id: string, kind: string, said: boolean): void {
    const key = `${id} ${kind}`;
    const count = this.#counts.get(key) ?? { said: 0, all: 0 };
    this.#counts.set(key, count);
    count.all++;
    if (said) count.said++;
  }
}
