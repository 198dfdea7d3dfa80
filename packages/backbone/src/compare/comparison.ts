/** Request and result of a comparison. */
import type { Provider, SessionOptions } from '@emac/graph';

export interface Comparison {
  /** `comparisonStages` for InstructBLIP, `familyStages` for the chat families */
  readonly stages: Readonly<Record<string, number>>;
  readonly generated: Readonly<Record<string, boolean>>;
  /** how far stages of the language model may be apart by their roundings alone (`float32Difference`) */
  readonly rounding: number;
  readonly provider: Provider;
}

export interface CompareOptions extends SessionOptions {
  /** selects generated texts to compare, by the name of the expected tensor; default: all */
  readonly generations?: (key: string) => boolean;
}
