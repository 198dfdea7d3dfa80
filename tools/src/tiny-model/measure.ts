/** Measures answers with teacher forcing, by sample group and kind of token. */
import type { EncodedSample } from './encode.ts';

/** A token counts as correct if its probability is over one half. */
export class Tally {
  readonly #pad: number;
  readonly #counts = new Map<string, Map<string, { said: number; all: number }>>();

  /** `pad`: the id of nothing */
  constructor(pad: number) {
    this.#pad = pad;
  }

  /** Log-probabilities of the lessons and of the facts, row by row. */
  add(rows: readonly EncodedSample[], logProbabilities: Float32Array, ofFacts: Float32Array): void {
    let at = 0;
    rows.forEach(({ id, facts }, row) =>
      facts.forEach((fact, place) => {
        if (fact === this.#pad) return;
        this.#count(id, 'fact', ofFacts[row * facts.length + place]! > Math.log(0.5));
      }),
    );
    for (const { id, lessons } of rows) {
      let right = true;
      for (const { kind } of lessons) {
        const said = logProbabilities[at++]! > Math.log(0.5);
        // shares of several tokens are neither right nor wrong
        if (kind !== 'gate') this.#count(id, kind, said);
        if (kind === 'reading' && !said) right = false;
      }
      if (lessons.some(({ kind }) => kind === 'reading')) this.#count(id, 'frame', right);
    }
  }

  /** Shares by id and kind; `frame`: share of samples with an entirely correct reading. */
  shares(): Record<string, Record<string, number>> {
    const sorted = [...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(
      sorted.map(([id, kinds]) => [
        id,
        Object.fromEntries([...kinds].map(([kind, { said, all }]) => [kind, +(said / all).toFixed(3)])),
      ]),
    );
  }

  #count(id: string, kind: string, said: boolean): void {
    const kinds = this.#counts.get(id) ?? new Map<string, { said: number; all: number }>();
    this.#counts.set(id, kinds);
    const count = kinds.get(kind) ?? { said: 0, all: 0 };
    kinds.set(kind, count);
    count.all++;
    if (said) count.said++;
  }
}
