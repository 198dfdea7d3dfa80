/** `emac collect`: play becomes a dataset for `emac train --data`. */
import { collect, dryCollection, type CollectConfig } from '@emac/experiment';
import { collectBelonging, requireMeant } from '../options/belonging.ts';
import { dryRunOption } from '../options/dry-run.ts';
import { configOption, layered } from '../options/layers.ts';
import { collectSettings } from '../options/collect-settings.ts';
import { runNamed } from '../options/run-name.ts';
import { counted, durations } from '../terminal/amounts.ts';
import { dryRunText } from '../terminal/dry-run-text.ts';
import { hostOf } from '../terminal/host.ts';
import { say } from '../terminal/io.ts';
import { command } from './command.ts';

export const collectCommand = command({
  options: { ...dryRunOption, ...configOption, ...collectSettings },
  run: async (values, words, io) => {
    requireMeant(values, collectBelonging);
    const { given } = layered<CollectConfig>(collectSettings, { values, words, env: io.env });
    const config = given.ckpt ? { ...given, ckpt: runNamed(given.ckpt) } : given;
    if (values['dry-run']) {
      say(io.stdout, dryRunText(await dryCollection(config, hostOf(io))));
      return 0;
    }
    const { dataset, records, games, spent } = await collect(config, hostOf(io, io.catchInterruption()));
    say(io.stdout, `dataset: ${dataset}`);
    say(io.stdout, `${counted(records, 'sample')} of ${counted(games, 'game')}`);
    say(io.stdout, `time: ${durations(spent)}`);
    return 0;
  },
});
