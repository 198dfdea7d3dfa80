/** A policy that is never asked, for a run where only the expert acts; it encodes and keeps no pictures. */
import { EmacError, type Policy } from '@emac/core';

export const silent: Pick<Policy, 'encode' | 'decide'> = {
  encode: () => Promise.resolve({ key: '', data: new Float32Array(0) }),
  decide: () => Promise.reject(new EmacError('internal', 'rollout: this policy is not asked')),
};
