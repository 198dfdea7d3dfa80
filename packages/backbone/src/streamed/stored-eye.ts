/**
 * The eye of a large model as one graph whose weights stay in their files, float32 for the moment of their use: of an eye of
 * 0.6 billion parameters in F16 1.6 GB are resident, 1.3 of them pages of the files, instead of 3.2, and it is as fast.
 */
import { createSession, type Session, type SessionOptions } from '@emac/graph';

import { separator, type Eye } from '../families/family.ts';
import type { ModelFiles } from '../files/model-files.ts';
import { streamedSessions } from './weight-stream.ts';

/** The same files, whose graphs of the eye have casts to float32 before all other nodes (`fedTensors` says why). */
export function castFirst(files: ModelFiles): ModelFiles {
  const names = [...files.tensors.keys()].filter(
    (name) => !name.startsWith('language_') && name !== separator,
  );
  return {
    ...files,
    weights: (graph) => {
      const weights = files.weights(graph);
      for (const name of names) weights(name);
      return weights;
    },
  };
}

/** Errors: those of `createSession`. */
export function openStoredEye(eye: Eye, options: SessionOptions): Promise<Session> {
  return createSession(eye.graph(), { ...options, ...streamedSessions, returnMemory: ['graph'] });
}
