/**
 * The norm after the vision model, if it comes with the projection: EMMA trained both. Every checkpoint stores it
 * beside the projection; it changes the features.
 */
import type { VisionNorm } from '@emac/backbone';
import { EmacError } from '@emac/core';
import type { ParameterSet } from '@emac/core';
import { encodeFloats, sha256 } from '@emac/files';
import type { PolicyForm } from './policy-form.ts';

const names = ['vision_model.post_layernorm.weight', 'vision_model.post_layernorm.bias'] as const;

/** Its tensors by name; empty without a norm. */
export function visionNormTensors(norm: VisionNorm | null): ParameterSet {
  if (norm === null) return new Map();
  return new Map(
    [norm.weight, norm.bias].map((data, index) => [names[index]!, { shape: [data.length], data }]),
  );
}

/** A policy's projection with that norm, as checkpoints hold it; null for a model that reads text alone. */
export function projectionTensors(
  { projection }: { readonly projection: ParameterSet | null },
  norm: VisionNorm | null,
): ParameterSet | null {
  return projection && new Map([...projection, ...visionNormTensors(norm)]);
}

/** Splits a checkpoint's tensors. Errors: `data` if the policy's norm is missing. */
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

/** Identity of the frozen networks with another norm; the base model's without one. */
export function identityWith(identity: string, norm: VisionNorm | null): string {
  if (norm === null) return identity;
  return sha256(encodeFloats(visionNormTensors(norm), { identity, epsilon: String(norm.epsilon) }));
}
