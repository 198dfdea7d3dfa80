/** Transitions of several shapes, and the content of a buffer. */
import { promptOf } from '@emac/core';
import type { Features, PromptPart } from '@emac/core';
import type { ReplayBuffer } from './replay-buffer.ts';
import type { ImitationTransition, PreferenceTransition, Transition } from './transition.ts';

/** Values that float16 holds exactly; other keys of another length mean other data. */
export const featuresOf = (key: string): Features => ({ key, data: Float32Array.of(key.length, 0.5, -2) });

/** A label after any number of pictures and a text. */
export function label(step: number, keys: readonly string[] = ['f'], round = 0): ImitationTransition {
  const prompt = promptOf(keys.map(featuresOf), `t${step}`);
  return { taskId: 'task/trial', round, episode: 0, step, prompt, answer: `a${step}` };
}

/** A pair after a picture and a text, with reference values. */
export function pair(
  chosen: PreferenceTransition['chosen'],
  rejected: PreferenceTransition['rejected'],
): PreferenceTransition {
  const { answer: _, ...read } = label(0);
  return { ...read, chosen, rejected, reference: { chosen: -0.25, rejected: -3, hash: 'h' } };
}

/** A text between pictures (one occurs twice), an array, and ids as an answer. */
export function mixed(step: number): ImitationTransition {
  const prompt: PromptPart[] = [
    { kind: 'image', features: featuresOf('left') },
    { kind: 'text', text: 'before' },
    { kind: 'image', features: featuresOf('ri') },
    { kind: 'image', features: featuresOf('left') },
    { kind: 'array', name: 'joints', values: { shape: [3], data: Float32Array.of(0.1, -1, step) } },
    { kind: 'array', name: 'cells', values: { shape: [1, 2], data: Uint8Array.of(255, 0) } },
    { kind: 'array', name: 'counts', values: { shape: [2], data: Int32Array.of(-70_000, 7) } },
    { kind: 'text', text: 'after\n>' },
  ];
  return { taskId: 'task/trial', round: 1, episode: 2, step, prompt, answer: [17, 4, 2] };
}

/** All held transitions, oldest first, with features. */
export const heldBy = <T extends Transition>(buffer: ReplayBuffer<T>): T[] =>
  Array.from({ length: buffer.length }, (_, index) => buffer.at(index));
