/** Where a worker computes gradients: a policy that learns as the run's does, under the parameters of whatever version is asked for. */
import { invariant, type Gradient } from '@emac/core';
import { canonicalJson } from '@emac/files';
import { policyParameters, type Student } from '@emac/model';
import type { Handler, Json } from '@emac/queue';
import { readShard, storeGradient } from './gradient-file.ts';
import type { GradientInput } from './gradients-elsewhere.ts';
import { asConfig } from './as-config.ts';
import { opened, studentOf, type Opening } from './open-play.ts';
import { readVersion } from './policy-version.ts';

export interface GradientWork {
  /** of the kind `gradient` */
  readonly handler: Handler;
  dispose(): Promise<void>;
}

interface OpenLearner {
  readonly key: string;
  readonly student: Student;
  /** the version that its parameters are of; null while they change */
  version: string | null;
}

export interface GradientOpening extends Opening {
  /** hears of every shard that it has computed, in words */
  readonly did: (job: string) => void;
}

/** Computes shards; opens what they need, one run's at a time. Errors: `config` where this machine cannot do what the plan says. */
export function gradientWork(opening: GradientOpening): GradientWork {
  const { folder, did } = opening;
  let open: OpenLearner | null = null;
  const close = async (): Promise<void> => {
    const before = open;
    open = null;
    await before?.student.dispose();
  };
  const learnerOf = async ({ plan, learnt }: GradientInput, version: string): Promise<Student> => {
    const key = canonicalJson([plan, learnt]);
    if (open?.key !== key) {
      await close();
      open = { key, student: await learnerAt(version, { plan, learnt }, opening), version };
    }
    if (open.version !== version) await moveTo(open, version, opening);
    return open.student;
  };
  return {
    handler: async ({ name, input }): Promise<Json> => {
      const given = input as unknown as GradientInput;
      const student = await learnerOf(given, name.policy);
      const { rows, loss } = await readShard(folder, given.shard);
      const found: Gradient = await student.gradient(rows, loss);
      const gradient = storeGradient(folder, found);
      const [rowsOf, policy] = [name.task, name.policy].map((hash) => hash.slice(0, 12));
      did(`computed ${name.run} shard ${name.shard}, rows ${rowsOf}, policy ${policy}`);
      return { gradient };
    },
    dispose: close,
  };
}

async function learnerAt(
  version: string,
  { plan, learnt: { train, dropoutSeed } }: Omit<GradientInput, 'shard'>,
  opening: Opening,
): Promise<Student> {
  const { folder } = opening;
  return asConfig(async () => {
    // first what no folder but the run's has
    const at = await opened(plan, opening);
    return studentOf(await readVersion(folder, version), { ...at, folder }, { train, dropoutSeed });
  });
}

/** Parameters of another version of the same run: what does not learn is the same. */
async function moveTo(open: OpenLearner, version: string, { folder }: Opening): Promise<void> {
  const { parameters } = await readVersion(folder, version);
  open.version = null;
  for (const [name, { data }] of policyParameters(open.student)) {
    const other = parameters.get(name);
    invariant(other && other.data.length === data.length, `gradient: version ${version} has another ${name}`);
    data.set(other.data);
  }
  open.student.commit();
  open.version = version;
}
