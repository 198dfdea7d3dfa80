/** What `emac train` needs of a method: its settings as flags, and how its runs begin. */
import type { DryRun } from '@emac/dry-run';
import type { Host } from '@emac/opening';
import type { Layer, TrainConfig } from '@emac/settings';
import type { Sources } from '../../options/layers.ts';
import type { OptionTable } from '../../options/option.ts';
import type { Presets } from '../../options/preset-table.ts';
import type { Setting } from '../../options/setting.ts';
import type { NextCommand } from '../../reports/training-report.ts';
import type { Io } from '../../terminal/io.ts';
import type { BegunMethod, RunsHost } from './training-runs.ts';

export interface TrainingMethod {
  /** the word after `--method` in help and errors; null for the methods that `--phase` names too */
  readonly name: string | null;
  readonly begins: BegunMethod;
  readonly settings: Readonly<Record<string, Setting>>;
  /** flags that are no settings */
  readonly options?: OptionTable;
  /** flags first in help */
  readonly essentials: readonly string[];
  readonly presets?: Presets;
  /** the command printed after a run */
  readonly next?: NextCommand;
  /** for `--resume` with flags that may change */
  readonly changed?: (
    values: Sources['values'],
    words: readonly string[],
  ) => (config: TrainConfig) => TrainConfig;
  /** Errors: `usage`, `missing`, `config`. */
  plan(sources: Sources, io: Pick<Io, 'argv' | 'now'>): PlannedRun;
}

export interface PlannedRun {
  /** weakest first, beginning with the preset */
  readonly layers: readonly Layer[];
  /** the whole configuration, in the form of `--config`. Errors: `usage`, `config`. */
  config(): object;
  train(host: RunsHost): Promise<unknown>;
  /** `queue`: its workers in words; null without */
  dry(host: Host, queue: string | null): Promise<readonly DryRun[]>;
}
