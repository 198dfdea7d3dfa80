/** Collects play as a dataset: `train.json` and its pictures in a folder. */
import {
  closingAfter,
  inUse,
  keepingWorlds,
  plainHost,
  timesOf,
  type Host,
  type Teacher,
  type Times,
} from '@emac/opening';
import { changeableOfLanguageModel } from '@emac/settings';
import { collectConfig, type CollectConfig } from './collect-config.ts';
import { collectionElsewhere } from './collection-elsewhere.ts';
import { openCollection } from './collection-file.ts';
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
  return closingAfter(async (open) => {
    const plan = await times.part('opening', () => planCollection(config, { host, open }));
    open.add(() => host.listener?.end?.());
    const { notes, model, teacher } = plan;
    const { out } = config;
    const settings = settingsThatCount(config, teacher);
    const file = openCollection(out, settings);
    open.add(() => file.close());
    for (const note of [inUse(model), ...notes]) if (note !== null) host.listener?.note?.(note);
    teacher.listen((event) => host.listener?.expert?.(event));
    teacher.keepReplies(`${out}/llm.jsonl`, file.replies);
    const { workers } = host;
    const elsewhere = workers ? collectionElsewhere(config, { plan, settings, host, workers }) : null;
    await elsewhere?.agreed();
    await times.part('playing', () => playGames(config, { plan, file, host, elsewhere }));
    await elsewhere?.agreed();
    const games = file.episodes.length;
    const dataset = file.finish();
    await elsewhere?.forget();
    return { dataset, records: file.records, games, spent: times.spent };
  });
}

/** Settings that affect the records; not those of speed and spending. */
function settingsThatCount(
  { out: _out, parallelEpisodes: _parallel, expert, world, ...config }: CollectConfig,
  teacher: Teacher,
): object {
  const changeable = new Set<string>(changeableOfLanguageModel);
  // the module's content counts, not its path
  const { module: _place, ...labelling } = expert;
  const counting = Object.entries(expert.languageModel).filter(([name]) => !changeable.has(name));
  const code = teacher.code === undefined ? {} : { code: teacher.code };
  return {
    ...config,
    // only whether it connects matters, because that decides the games
    ...(world.kind === 'http' && { world: world.kind }),
    expert: { ...labelling, ...code, languageModel: Object.fromEntries(counting) },
  };
}
