/** The versions a run was made with. */
import { isBuiltin } from '@emac/opening';
import { programVersions } from '@emac/settings';
import type { TrainingPlan } from './plan.ts';

type Versions = Readonly<Record<string, string>>;

/** Versions of programs and backends, and hashes of code, model and games. */
export function versionsOf({
  versions,
  play,
  offline,
  evaluated,
  teacher,
  environmentCode,
  methodCode,
  config,
}: Pick<
  TrainingPlan,
  'versions' | 'play' | 'offline' | 'evaluated' | 'teacher' | 'environmentCode' | 'methodCode' | 'config'
>): Versions {
  return {
    ...programVersions(),
    ...versions,
    games: play.fingerprint,
    ...(!isBuiltin(config.evaluation.on) && { 'eval-on': evaluated.fingerprint }),
    ...(teacher.code !== undefined && { expert: teacher.code }),
    ...(environmentCode !== null && { environment: environmentCode }),
    ...(methodCode !== null && { method: methodCode }),
    ...(offline && { data: offline.data.sha256 }),
    ...(offline?.validation && { val: offline.validation.sha256 }),
  };
}
