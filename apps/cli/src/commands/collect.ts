/** `emac collect`: play becomes a dataset for `emac train --data`. */
import { collect, type CollectConfig } from '@emac/experiment';
import { collectBelonging, requireMeant } from '../options/belonging.ts';
import { collectSettings } from '../options/collect-settings.ts';
import { configured } from '../options/configured.ts';
import { counted, durations } from '../terminal/amounts.ts';
import { hostOf } from '../terminal/host.ts';
import { say } from '../terminal/io.ts';
import { command } from './command.ts';

export const collectCommand = command({
  options: collectSettings,
  run: async (values, _words, io) => {
    requireMeant(values, collectBelonging);
    const config = configured(collectSettings, values) as CollectConfig;
    const { dataset, records, games, spent } = await collect(config, hostOf(io, io.catchInterruption()));
    say(io.stdout, `dataset: ${dataset}`);
    say(io.stdout, `${counted(records, 'sample')} of ${counted(games, 'game')}`);
    say(io.stdout, `time: ${durations(spent)}`);
    return 0;
  },
});
