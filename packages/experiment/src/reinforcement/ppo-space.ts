/** Room that a run of PPO needs for its checkpoints. */
import type { ParameterGroup } from '@emac/core';
import type { PpoPolicy } from '@emac/opening';
import type { PpoConfig } from '@emac/settings';

/** Bytes of three checkpoints with all parameters and two moments each, and of earlier policy versions. */
export function spaceNeeded(
  { actorCritic: { groups }, predictor }: PpoPolicy,
  { optimization }: Pick<PpoConfig, 'optimization'>,
): number {
  const bytes = (of: readonly ParameterGroup[]): number =>
    of.flatMap((group) => [...group.parameters.values()]).reduce((sum, { data }) => sum + data.byteLength, 0);
  const own = bytes([...groups.policy, ...groups.value]);
  return 3 * ((3 + optimization.maxStaleness) * own + 3 * bytes(predictor?.policy.groups ?? []));
}
