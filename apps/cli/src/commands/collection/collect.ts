/** `emac collect`: makes a dataset for `emac train --data` and `emac train --method sft` from play or from robot episodes. */
import { EmacError } from '@emac/core';
import type { CollectConfig } from '@emac/datasets';
import { limitedHost } from '@emac/opening';
import { requireEffect } from '@emac/settings';
import { orScripted } from '../../options/expert-option.ts';
import { dryRunOption } from '../../options/dry-run.ts';
import { labellingOptions, requireLabeller, withPerson } from '../../play/labelling.ts';
import { configOption, layered } from '../../options/layers.ts';
import {
  collectSettings,
  environmentAloneSettings,
  rldsAloneSettings,
} from '../../settings/collect-settings.ts';
import { memoryOption, underMemory } from '../../options/memory-option.ts';
import { checkWorkers, queueOptions, withWorkers } from '../../options/queue-options.ts';
import { durations } from '../../terminal/amounts.ts';
import { toggle } from '../../options/option.ts';
import { quietOption } from '../../options/quiet-option.ts';
import { hostOf } from '../../terminal/host.ts';
import { say } from '../../terminal/io.ts';
import { sayDryRuns, withNote } from '../../reports/dry-run-text.ts';
import { sayEvent } from '../../terminal/json-events.ts';
import { dryCollected, sourceOf, sources, type Source, type Values } from './sources.ts';
import { command } from '../../calling/command.ts';

export const collectCommand = command({
  options: {
    ...dryRunOption,
    ...configOption,
    ...collectSettings,
    ...environmentAloneSettings,
    ...rldsAloneSettings,
    'num-samples': {
      ...environmentAloneSettings['num-samples']!,
      defaultText: '1000; with --rlds each step once',
    },
    expert: orScripted(collectSettings['expert']!),
    ...labellingOptions,
    ...queueOptions,
    ...memoryOption,
    json: toggle('print one JSON object a line on standard output for every event, the result last'),
    ...quietOption,
  },
  essentials: [
    'out',
    'games',
    'num-games',
    'env',
    'num-samples',
    'rlds',
    'expert',
    'ckpt',
    'phase',
    'seed',
    'config',
  ],
  run: async (values, words, io) => {
    const { json, quiet, verbose } = values;
    const source = sourceOf(values);
    const { table, schema } = source;
    refuseOthers(source, values);
    const code = await source.code(values);
    const { given: typed, layers } = layered(table, { values, words, env: io.env });
    const given = requireEffect({ schema, layers, defaults: source.defaults(typed, code) });
    const { kind } = (given as Partial<CollectConfig>).expert ?? {};
    requireLabeller(values.page, kind);
    if (values['dry-run']) {
      const queue = await checkWorkers(values, io);
      const host = { ...hostOf(io, undefined, { quiet, verbose }), ...code };
      const run = await dryCollected(given as CollectConfig, host, queue !== null);
      sayDryRuns(withNote([run], queue), { json, quiet, io });
      return 0;
    }
    const signal = io.catchInterruption();
    const own = { ...hostOf(io, signal, { json, quiet, verbose }), ...code };
    const warned = (line: string): void => say(io.stderr, line);
    const { result, lines, spent } = await underMemory(values, warned, (memory) => {
      const limited = limitedHost(own, memory);
      return withWorkers({ values, io, settings: { signal: limited.signal } }, async (workers) => {
        const host = { ...limited, ...(workers && { workers }) };
        const taught = kind === 'human' ? await withPerson(host, { values, io, work: 'collection' }) : null;
        try {
          return await source.collect(given, taught?.host ?? host);
        } finally {
          await taught?.close();
        }
      });
    });
    const said = json ? io.stderr : io.stdout;
    if (!json || !quiet) for (const line of lines) say(said, line);
    if (!quiet) say(said, `time: ${durations(spent)}`);
    if (json) sayEvent(io, 'result', result);
    return 0;
  },
});

/** Errors: `usage` for a flag of another source, and for another source's expert. */
function refuseOthers({ title, table, also }: Source, values: Values): void {
  const isOf = (flag: string, one: Pick<Source, 'table' | 'also'>) =>
    Object.hasOwn(one.table, flag) || one.also.includes(flag);
  const isGiven = (flag: string) => ![undefined, null, false].includes(values[flag] as undefined);
  const other = sources
    .flatMap((each) => [...Object.keys(each.table), ...each.also])
    .find((flag) => isGiven(flag) && !isOf(flag, { table, also }));
  if (other !== undefined) {
    const owners = sources.filter((each) => isOf(other, each)).map((each) => each.title);
    const rule = `belongs to ${owners.join(' or ')}, not to ${title}; leave it out`;
    throw new EmacError('usage', `--${other}: ${rule}`);
  }
  const { expert } = values;
  const form = table['expert']?.form;
  if (expert !== undefined && form && form.parse(String(expert)) === undefined)
    throw new EmacError('usage', `--expert ${String(expert)}: for ${title} give ${form.words}`);
}
