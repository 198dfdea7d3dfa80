/** A policy that is not asked: somebody else acts, and what the policy would see is not kept. */
import { EmacError, type Policy } from '@emac/core';

export const silent: Pick<Policy, 'encode' | 'decide'> = {
  encode: () => Promise.resolve({ key: '', data: new Float32Array(0) }),
  decide: () => Promise.reject(new EmacError('internal', 'rollout: this policy is not asked')),
};
