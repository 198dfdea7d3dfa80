/**
 * A transition in its stored form: pictures are replaced by their keys, because features are stored separately, once
 * for all transitions that show them. Fields have a fixed order, so equal transitions give equal bytes.
 */
import type { Features, Prompt, PromptPart } from '@emac/core';
import type { ImitationTransition, Transition } from './transition.ts';

/** A part of a prompt; a picture is represented by its features' key. */
export type KeyedPart =
  Exclude<PromptPart, { readonly kind: 'image' }> | { readonly kind: 'image'; readonly key: string };

/** The transition with keys in place of features. */
export type Keyed<T extends Transition> = T extends Transition
  ? Omit<T, 'prompt'> & { readonly prompt: readonly KeyedPart[] }
  : never;

/** The transition with keys in place of features; arrays are copied, because an environment may reuse its own. */
export function keyedTransition<T extends Transition>(transition: T): Keyed<T> {
  const { taskId, round, episode, step } = transition;
  const prompt = transition.prompt.map(keyedPart);
  const read = { taskId, round, episode, step, prompt };
  return { ...read, ...answerFields(transition) } as unknown as Keyed<T>;
}

/** The transition with its features, each distinct key read once. */
export function withFeatures<T extends Transition>(
  transition: Keyed<T>,
  readFeatures: (key: string) => Features,
): T {
  const features = new Map(keysOf(transition).map((key) => [key, readFeatures(key)]));
  const prompt = transition.prompt.map((part): PromptPart =>
    part.kind === 'image' ? { kind: 'image', features: features.get(part.key)! } : part,
  );
  return { ...transition, prompt } as unknown as T;
}

/** The keys of a transition's pictures, each once, in the order of the prompt. */
export function keysOf({ prompt }: { readonly prompt: readonly KeyedPart[] }): readonly string[] {
  return [...new Set(prompt.flatMap((part) => (part.kind === 'image' ? [part.key] : [])))];
}

/** The features in a prompt by their keys. */
export function featuresIn(prompt: Prompt): ReadonlyMap<string, Features> {
  return new Map(
    prompt.flatMap((part) => (part.kind === 'image' ? [[part.features.key, part.features] as const] : [])),
  );
}

function keyedPart(part: PromptPart): KeyedPart {
  switch (part.kind) {
    case 'text':
      return { kind: 'text', text: part.text };
    case 'image':
      return { kind: 'image', key: part.features.key };
    case 'tokens':
      return { kind: 'tokens', tokens: [...part.tokens], before: [...part.before] };
    case 'array': {
      const { shape, data } = part.values;
      return { kind: 'array', name: part.name, values: { shape: [...shape], data: data.slice() } };
    }
  }
}

function answerFields(transition: Transition): object {
  if (isImitation(transition)) return { answer: transition.answer };
  const { chosen, rejected, isRandom, reference } = transition;
  const answers = { chosen, rejected, ...(isRandom && { isRandom }) };
  if (!reference) return { ...answers, reference: null };
  const judged = { chosen: reference.chosen, rejected: reference.rejected, hash: reference.hash };
  return { ...answers, reference: judged };
}

function isImitation(transition: Transition): transition is ImitationTransition {
  return 'answer' in transition;
}
