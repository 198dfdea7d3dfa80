/** How well answers are said when the tokens before are right: by game, by kind of token. */
import type { EncodedSample, Kind } from './encode.ts';

const kinds = ['form', 'reading', 'conclusion', 'action'] as const;

/** A token counts as said where its probability is over one half. */
export class Tally {
  readonly #pad: number;
  readonly #counts = new Map<string, { said: number; all: number }>();

  /** `pad`: the id of nothing */
  constructor(pad: number) {
    this.#pad = pad;
  }

  /** Log-probabilities of the lessons and of the facts, row by row. */
  add(rows: readonly EncodedSample[], logProbabilities: Float32Array, ofFacts: Float32Array): void {
    let at = 0;
    rows.forEach(({ sample, facts }, row) =>
      facts.forEach((fact, place) => {
        if (fact === this.#pad) return;
        this.#count(sample.id, 'fact', ofFacts[row * facts.length + place]! > Math.log(0.5));
      }),
    );
    for (const { sample, lessons } of rows) {
      let right = true;
      for (const { kind } of lessons) {
        const said = logProbabilities[at++]! > Math.log(0.5);
        this.#count(sample.id, kind, said);
        if (kind === 'reading' && !said) right = false;
      }
      if (lessons.some(({ kind }) => kind === 'reading')) this.#count(sample.id, 'frame', right);
    }
  }

  /** Shares by game and kind; `frame`: of samples whose whole reading is right. */
  shares(): Record<string, Partial<Record<Kind | 'frame' | 'fact', number>>> {
    const ids = [...new Set([...this.#counts.keys()].map((key) => key.split(' ')[0]!))].sort();
    return Object.fromEntries(ids.map((id) => [id, this.#sharesOf(id)]));
  }

  #sharesOf(id: string): Partial<Record<Kind | 'frame' | 'fact', number>> {
    const found = (['frame', 'fact', ...kinds] as const).flatMap((kind) => {
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
