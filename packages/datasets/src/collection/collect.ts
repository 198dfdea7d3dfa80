/** Collects play as a dataset: `train.json` and its pictures in a folder. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { closingAfter, inUse, keepingWorlds, plainHost, timesOf, type Host, type Times } from '@emac/opening';
import { collectConfig, type CollectConfig } from './collection-config.ts';
import { collectionElsewhere } from './collection-elsewhere.ts';
import { openCollection } from './collection-file.ts';
import { settingsOfGames } from './collection-settings.ts';
import { inPartFolder } from './part-folder.ts';
import { planCollection } from './plan-collection.ts';
import { playGames } from './play-games.ts';

export interface Collected {
  /** path of the dataset */
  readonly dataset: string;
  readonly records: number;
  readonly games: number;
  readonly spent: Times['spent'];
}

/** Plays and writes; the same call resumes an interrupted collection. Errors: `cannot-create`, `usage`, `interrupted`, the expert's. */
export async function collect(
  given: Parameters<typeof collectConfig>[0],
  host: Host = plainHost(),
): Promise<Collected> {
  const config = collectConfig(given);
  return keepingWorlds(host, (kept) => collected(config, kept));
}

function collected(config: CollectConfig, host: Host): Promise<Collected> {
  const times = timesOf(host.now);
  const { out, form, phase } = config;
  const isPairs = phase === 'dpo';
  if (form !== 'published' && (form === 'preference') !== isPairs)
    throw new EmacError(
      'usage',
      `--form ${form}: ${isPairs ? 'is for --phase bc; give preference' : 'needs pairs; give --phase dpo'}`,
    );
  return closingAfter(async (open) => {
    const plan = await times.part('opening', () => planCollection(config, { host, open }));
    open.add(() => host.listener?.end?.());
    const { notes, policy, teacher } = plan;
    const settings = settingsOfGames(config, teacher);
    return inPartFolder({ out, settings, resumes: true, hasPictures: true }, async (part) => {
      const file = openCollection(part, config.form);
      open.add(() => file.close());
      for (const note of [inUse(policy.model), ...notes]) if (note !== null) host.listener?.note?.(note);
      teacher.listen((event) => host.listener?.expert?.(event));
      teacher.keepReplies(part.replies, file.replies);
      const { workers } = host;
      const elsewhere = workers ? collectionElsewhere(config, { plan, settings, host, workers }) : null;
      await elsewhere?.agreed();
      await times.part('playing', () => playGames(config, { plan, file, host, elsewhere }));
      await elsewhere?.agreed();
      file.finish();
      part.whole();
      await elsewhere?.forget();
      const { records, episodes } = file;
      return { dataset: join(out, 'train.json'), records, games: episodes.length, spent: times.spent };
    });
  });
}
