/** `emac collect`: makes a dataset for `emac train --data` and `emac sft` from play or from robot episodes. */
import { EmacError } from '@emac/core';
import { collect, collectConfig, requireCollectionForWorkers, type CollectConfig } from '@emac/datasets';
import { dryCollection } from '@emac/dry-run';
import { collectBelonging, requireMeant } from '../../settings/belonging.ts';
import { givenExpert, orScripted } from '../../options/expert-option.ts';
import { dryRunOption } from '../../options/dry-run.ts';
import { configOption, layered } from '../../options/layers.ts';
import {
  collectSettings,
  environmentAloneSettings,
  rldsAloneSettings,
} from '../../settings/collect-settings.ts';
import { checkWorkers, openWorkers, queueOptions } from '../../options/queue-options.ts';
import { runNamed } from '../../options/run-name.ts';
import { counted, durations } from '../../terminal/amounts.ts';
import { toggle } from '../../options/option.ts';
import { quietOption } from '../../options/quiet-option.ts';
import { hostOf } from '../../terminal/host.ts';
import { say } from '../../terminal/io.ts';
import { sayDryRuns, withNote } from '../../reports/dry-run-text.ts';
import { sayEvent } from '../../terminal/json-events.ts';
import { collectInEnvironment } from './collect-environment.ts';
import { collectFromRlds } from './collect-rlds.ts';
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
    ...queueOptions,
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
    const typed: Readonly<Record<string, unknown>> = values;
    if (typed['rlds'] !== undefined) return collectFromRlds(values, words, io);
    if (typed['env'] !== undefined) return collectInEnvironment(values, words, io);
    if (values['expert'] === 'scripted')
      throw new EmacError('usage', '--expert scripted: belongs to --env, which was not given');
    const table = collectSettings;
    const { given, layers } = layered<CollectConfig>(table, { values, words, env: io.env });
    requireMeant(collectBelonging, { table, values, layers, defaults: collectConfig({ out: given.out }) });
    const config = given.ckpt ? { ...given, ckpt: runNamed(given.ckpt) } : given;
    const expert = await givenExpert(values['expert']);
    const { json, quiet } = values;
    if (values['dry-run']) {
      const queue = await checkWorkers(values, io);
      if (queue !== null) requireCollectionForWorkers(collectConfig(config));
      const run = await dryCollection(config, {
        ...hostOf(io, undefined, { quiet, verbose: values.verbose }),
        ...expert,
      });
      sayDryRuns(withNote([run], queue), { json, quiet, io });
      return 0;
    }
    const signal = io.catchInterruption();
    const { workers, close } = await openWorkers(values, io, { signal });
    const host = { ...hostOf(io, signal, { json, quiet, verbose: values.verbose }), ...expert, workers };
    const { dataset, records, games, spent } = await collect(config, host).finally(close);
    const said = json ? io.stderr : io.stdout;
    const lines = [`dataset: ${dataset}`, `${counted(records, 'sample')} of ${counted(games, 'game')}`];
    if (!json || !quiet) for (const line of lines) say(said, line);
    if (!quiet) say(said, `time: ${durations(spent)}`);
    if (json) sayEvent(io, 'result', { dataset, samples: records, games });
    return 0;
  },
});
