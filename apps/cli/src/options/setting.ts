/** Options that set parts of a configuration. Form, help text and default come from its schema. */
import type { Option } from './option.ts';

/** Absent unless typed. */
export interface Setting extends Option<unknown> {
  /** its path in the configuration, e.g. `optimization.learningRate` */
  readonly paths: readonly string[];
  /** names of the conditions without which it has no effect */
  readonly when: readonly string[];
  /** the part of a value for one of its paths; default the value itself */
  readonly valueAt?: (path: string, value: unknown) => unknown;
  /** a value in the flag's form */
  readonly shown: (value: unknown) => string;
}

/** The default to show for a flag, in the flag's form; null to show the schema's. */
export type DefaultText = (path: string, shown: Setting['shown']) => string | null;
