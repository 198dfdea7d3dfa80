/** Room that a run of GRPO needs for its checkpoints. */
import { parametersOf } from '@emac/core';
import type { GrpoConfig } from '@emac/settings';
import type { GroupPlay } from '../groups/group-play.ts';

/** Bytes of three checkpoints of all parameters and two moments of each, and of what the policy was before. */
export function spaceNeeded(
  { policy: { student } }: Pick<GroupPlay, 'policy'>,
  { optimization }: Pick<GrpoConfig, 'optimization'>,
): number {
  const all = parametersOf(student);
  return (
    3 *
    (3 + optimization.maxStaleness) *
    [...all.values()].reduce((sum, { data }) => sum + data.byteLength, 0)
  );
}
