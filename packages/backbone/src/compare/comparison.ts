/** Request and result of a comparison. */
import type { Provider, SessionOptions } from '@emac/graph';

export interface Comparison {
  /** `comparisonStages` for InstructBLIP, `familyStages` for the chat families */
  readonly stages: Readonly<Record<string, number>>;
  readonly generated: Readonly<Record<string, boolean>>;
  readonly provider: Provider;
}

export interface CompareOptions extends SessionOptions {
  /** selects generated texts to compare, by the name of the expected tensor; default: all */
  readonly generations?: (key: string) => boolean;
}
