/** ALFWorld as training and evaluation play it: with pictures, and with thoughts, where the policy has them. */
import type { Environment } from '@emac/core';
import { withThoughts } from '@emac/rollout';
import { alfworld, renderFrame, type Game, type VisibleState } from '@emac/world';
import type { PolicyForm } from '../opening/policy-form.ts';

/** The games as tasks. */
export function gamesEnvironment(
  games: readonly Game[],
  { text, maxSteps }: Pick<PolicyForm, 'text' | 'maxSteps'>,
): Environment {
  const frames = { frames: (visible: VisibleState) => renderFrame(visible) };
  const environment = alfworld(games, { maxSteps, ...(text.observe !== 'text' && frames) });
  return text.thoughts ? withThoughts(environment) : environment;
}
