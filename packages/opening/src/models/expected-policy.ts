/** How a dry run describes a policy, whatever it is made of. */
import type { Policy, Trainable } from '@emac/core';
import type { Student } from '@emac/model';
import type { ExpectedPolicy } from '../expected.ts';
import { inUse, type OpenModel } from './model.ts';
import { storedSizes, type OpenedPolicy } from './opened-policy.ts';
import { policySizes, type PolicySizes } from './policy-sizes.ts';

type Reader = Pick<Policy, 'countPromptTokens'> & Partial<Pick<Student, 'countVisualTokens'>>;

/** `learner`: all that is trained of it, and the reader of its prompts. */
export function expectedPolicy(
  policy: Omit<OpenedPolicy, 'learner'>,
  learner: Reader & Pick<Trainable, 'groups'>,
): ExpectedPolicy {
  return described(policy, learner, storedSizes(policy, learner));
}

/** Of a language model alone. */
export function expectedStudent(student: Student, { layers: _asked, ...model }: OpenModel): ExpectedPolicy {
  const { folder: name, identity } = model;
  const policy = { name, identity, model: { ...model, layers: student.layers } };
  return described(policy, student, policySizes(student));
}

function described(
  { name, identity, model }: Pick<OpenedPolicy, 'name' | 'identity' | 'model'>,
  reader: Reader,
  sizes: PolicySizes,
): ExpectedPolicy {
  const networks = [...(model?.files.tensors.values() ?? [])].filter(
    ({ name: tensor }) => !tensor.startsWith('language_projection.'),
  );
  return {
    name,
    identity,
    layers: model?.layers ?? null,
    computing: model && inUse(model),
    sizes,
    frozen: networks.reduce((sum, { shape }) => sum + shape.reduce((count, size) => count * size, 1), 0),
    countPromptTokens: (text) => reader.countPromptTokens(text),
    countVisualTokens: reader.countVisualTokens?.bind(reader) ?? null,
  };
}
