/**
 * The norm after the vision model, where it comes with the projection: EMMA trained both. It is kept beside the
 * projection in every checkpoint, and features seen through it are other features.
 */
import type { VisionNorm } from '@emac/backbone';
import { EmacError } from '@emac/core';
import type { ParameterSet } from '@emac/core';
import { encodeFloats, sha256 } from '@emac/files';
import type { PolicyForm } from './policy-form.ts';

const names = ['vision_model.post_layernorm.weight', 'vision_model.post_layernorm.bias'] as const;

/** Its tensors by name; none where there is no norm. */
export function visionNormTensors(norm: VisionNorm | null): ParameterSet {
  if (norm === null) return new Map();
  return new Map(
    [norm.weight, norm.bias].map((data, index) => [names[index]!, { shape: [data.length], data }]),
  );
}

/** A checkpoint's tensors taken apart. Errors: `data` where the norm that the policy needs is not there. */
export function splitVisionNorm(
  tensors: ParameterSet,
  form: PolicyForm,
  place: string,
): { projection: ParameterSet; visionNorm: VisionNorm | null } {
  const projection = new Map(tensors);
  const [weight, bias] = names.map((name) => tensors.get(name)?.data);
  for (const name of names) projection.delete(name);
  if (form.visionNorm === null) return { projection, visionNorm: null };
  if (!weight || !bias)
    throw new EmacError('data', `${place}: its projection.safetensors must hold ${names.join(' and ')}`);
  return { projection, visionNorm: { weight, bias, epsilon: form.visionNorm.epsilon } };
}

/** Identity of the frozen networks with another norm: the base model's where there is none. */
export function identityWith(identity: string, norm: VisionNorm | null): string {
  if (norm === null) return identity;
  return sha256(encodeFloats(visionNormTensors(norm), { identity, epsilon: String(norm.epsilon) }));
}
