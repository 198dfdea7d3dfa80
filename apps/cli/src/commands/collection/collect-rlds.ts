/** `emac collect --rlds FOLDER`: makes a dataset for `emac sft` from robot episodes in the format of TensorFlow Datasets. */
import { EmacError } from '@emac/core';
import {
  collectRlds,
  rldsCollectionConfig,
  type CollectedRlds,
  type RldsCollectionConfig,
} from '@emac/datasets';
import { requireMeant, rldsCollectBelonging } from '../../settings/belonging.ts';
import {
  collectSettings,
  environmentAloneSettings,
  rldsCollectSettings,
} from '../../settings/collect-settings.ts';
import { layered } from '../../options/layers.ts';
import { counted, durations } from '../../terminal/amounts.ts';
import { hostOf } from '../../terminal/host.ts';
import { say, type Io } from '../../terminal/io.ts';
import { sayEvent } from '../../terminal/json-events.ts';

/** Errors: as `collectRlds`; `usage` for flags of games or environments, and for flags without the flag they depend on. */
export async function collectFromRlds(
  values: Readonly<Record<string, unknown>> & {
    readonly json: boolean;
    readonly quiet: boolean;
    readonly verbose: boolean;
  },
  words: readonly string[],
  io: Io,
): Promise<number> {
  refuseOthers(values);
  const { json, quiet } = values;
  const table = rldsCollectSettings;
  const { given, layers } = layered<RldsCollectionConfig>(table, { values, words, env: io.env });
  const defaults = rldsCollectionConfig({ out: given.out, rlds: given.rlds });
  requireMeant(rldsCollectBelonging, { table, values, layers, defaults });
  const collected = await collectRlds(
    given,
    hostOf(io, io.catchInterruption(), { json, quiet, verbose: values.verbose }),
  );
  const said = json ? io.stderr : io.stdout;
  if (!json || !quiet) for (const line of linesOf(collected)) say(said, line);
  if (!quiet) say(said, `time: ${durations(collected.spent)}`);
  const { spent: _spent, ...result } = collected;
  if (json) sayEvent(io, 'result', result);
  return 0;
}

function linesOf({ dataset, validation, statistics, samples, episodes, datasets }: CollectedRlds): string[] {
  const all = samples.training + samples.validation;
  const names = Object.entries(datasets);
  const shares = names.length > 1 ? `: ${names.map(([name, count]) => `${name} ${count}`).join(', ')}` : '';
  return [
    `dataset: ${dataset}${validation === null ? '' : `, held out: ${validation}`}`,
    `${counted(all, 'sample')} of ${counted(episodes, 'episode')}, ${samples.validation} held out${shares}`,
    `statistics: ${statistics}; put this file into the folder of a model that learns this`,
  ];
}

/** Errors: `usage`. */
function refuseOthers(values: Readonly<Record<string, unknown>>): void {
  const others = Object.keys({ ...environmentAloneSettings, ...collectSettings }).filter(
    (name) => !Object.hasOwn(rldsCollectSettings, name),
  );
  const other =
    [...others, 'expert'].find((name) => values[name] !== undefined) ??
    ['queue', 'shared'].find((name) => values[name] !== null) ??
    (values['dry-run'] === true ? 'dry-run' : null);
  if (other !== null)
    throw new EmacError(
      'usage',
      `--${other}: belongs to playing, but --rlds plays nothing; leave one of them out`,
    );
}
