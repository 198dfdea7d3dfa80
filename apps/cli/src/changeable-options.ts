/** Options of `emac train` that may be given anew when a run goes on (`--resume`). */
import { changeableExpertOptions } from './llm-options.ts';
import { offlineOptions } from './offline-options.ts';
import type { Values } from './option.ts';

export const changeableOptions = {
  ...changeableExpertOptions,
  'skip-bad-records': offlineOptions['skip-bad-records'],
};

export type ChangeableValues = Values<typeof changeableOptions>;
