/**
 * Gradients on workers. Each shard of an update is a job, named by policy version, content and index. Workers compute
 * it with the policy that they play with.
 */
import type { ActorShardGradients, ShardGradients } from '@emac/algorithms';
import type { Json } from '@emac/queue';
import type { WorkedRun } from '../jobs/worked-run.ts';
import { carried } from '../plan/carried.ts';
import { readGradient, type AnyGradient } from '../plan/gradient-file.ts';
import { storeVersion, type PolicyVersion } from '../plan/policy-version.ts';
import { rowStore, type Rows } from '../plan/rows-file.ts';

export interface GradientsElsewhere<Each> {
  /** Errors: those of `WorkedRun.results` and of the folder. */
  readonly each: Each;
  /** Call after so many updates: later requests belong to the next one. */
  at(updates: number): void;
}

export interface Differentiated {
  /** as it is now */
  readonly version: () => PolicyVersion;
  /** trained parameters in the order of sums over all of them; a version's file has its own. Absent: as they come */
  readonly order?: readonly string[];
}

export function gradientsElsewhere<Each extends ShardGradients | ActorShardGradients>(
  { folder, results }: WorkedRun,
  { version, order }: Differentiated,
): GradientsElsewhere<Each> {
  const store = rowStore(folder);
  let update = 0;
  async function* each(shards: readonly Rows['rows'][], losses: Rows['losses']) {
    const jobs = shards.map((rows, shard) => {
      const hash = store({ rows, losses } as Rows);
      return { task: hash, seed: 0, shard, input: hash };
    });
    const now = version();
    const asked = {
      verb: 'gradient',
      part: 'gradients',
      update,
      version: storeVersion(folder, now),
      jobs,
    } as const;
    const read = async (result: Json, place: number) => {
      const hash = await carried<string>(folder, result);
      const expected = {
        parameters: now.parameters,
        names: order ?? null,
        rows: shards[place]!.length,
        hasCritic: 'value' in losses,
      };
      return readGradient<AnyGradient>(folder, hash, expected);
    };
    for await (const [, { gradients, ...found }] of results(asked, read)) {
      const names = order ?? [...gradients.keys()];
      yield { ...found, gradients: new Map(names.map((name) => [name, gradients.get(name)!])) };
    }
  }
  return { each: each as unknown as Each, at: (updates) => void (update = updates) };
}
