/** How a small network is asked in whole episodes: it reads arrays or pictures, and answers with the name of an action. */
import type { OpenedKind, Speech } from '@emac/core';
import { isWorded, localWorld, type PolicyForm } from '@emac/opening';
import { isEnvironmentModule, smallNetworkOf } from '@emac/settings';

/** An answer is the name of an action. */
export const actionNames: Speech = {
  prompt: () => '',
  target: (action) => action,
  read: ({ text }) => ({ action: text, actionStart: 0 }),
};

/** The network's name, or its file, and where it acts. */
export interface NamedNetwork {
  readonly env: string;
  readonly policy: string;
}

/** Convolutions read smaller pictures than people, where the environment says so; undefined: the size shown to people. */
export function frameSizeOf({ env, policy }: NamedNetwork): number | undefined {
  if (isEnvironmentModule(env) || isWorded(env)) return undefined;
  const { reads } = smallNetworkOf({ policy }) ?? {};
  return reads === 'frame' ? localWorld(env).numbers?.frameSize : undefined;
}

export function networkForm(
  { policy }: NamedNetwork,
  { maxSteps }: Pick<OpenedKind, 'maxSteps'>,
): Pick<PolicyForm, 'text' | 'maxSteps' | 'generation' | 'admissibleOnly'> {
  const { reads } = smallNetworkOf({ policy }) ?? {};
  const observe = reads === 'frame' ? 'both' : 'text';
  return {
    text: { maxTokens: 1, thoughts: false, observe },
    generation: { beams: 1, minLength: 1, maxLength: 1 },
    maxSteps,
    admissibleOnly: false,
  };
}
