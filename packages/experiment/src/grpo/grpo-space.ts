/** Room that a run of GRPO needs for its checkpoints. */
import { parametersOf } from '@emac/core';
import type { GrpoConfig } from '@emac/settings';
import type { GroupPlay } from '../groups/group-play.ts';

/** Bytes of three checkpoints with all parameters and two moments each, and of earlier policy versions. */
export function spaceNeeded(
  { learner }: Pick<GroupPlay, 'learner'>,
  { optimization }: Pick<GrpoConfig, 'optimization'>,
): number {
  const all = parametersOf(learner);
  return (
    3 *
    (3 + optimization.maxStaleness) *
    [...all.values()].reduce((sum, { data }) => sum + data.byteLength, 0)
  );
}
