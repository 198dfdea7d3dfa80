/** How a dry run describes a policy, whatever it is made of. */
import type { Policy, Trainable } from '@emac/core';
import type { Student } from '@emac/model';
import type { ExpectedPolicy } from '../expected.ts';
import { inUse } from './model.ts';
import { storedSizes, type OpenedPolicy } from './opened-policy.ts';

type Reader = Pick<Policy, 'countPromptTokens'> & Partial<Pick<Student, 'countVisualTokens'>>;

/** `learner`: all that is trained of it, and the reader of its prompts. */
export function expectedPolicy(
  policy: Omit<OpenedPolicy, 'learner'>,
  learner: Reader & Pick<Trainable, 'groups'>,
): ExpectedPolicy {
  const { name, identity, model } = policy;
  const networks = [...(model?.files.tensors.values() ?? [])].filter(
    ({ name: tensor }) => !tensor.startsWith('language_projection.'),
  );
  return {
    name,
    identity,
    layers: model?.layers ?? null,
    computing: model && inUse(model),
    sizes: storedSizes(policy, learner),
    frozen: networks.reduce((sum, { shape }) => sum + shape.reduce((count, size) => count * size, 1), 0),
    countPromptTokens: (text) => learner.countPromptTokens(text),
    countVisualTokens: learner.countVisualTokens?.bind(learner) ?? null,
  };
}
