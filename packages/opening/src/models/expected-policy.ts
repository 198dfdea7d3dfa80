/** How a dry run describes a policy, whatever it is made of. */
import type { Policy } from '@emac/core';
import type { Student } from '@emac/model';
import type { ExpectedPolicy } from '../expected.ts';
import { inUse, type OpenModel } from './model.ts';
import type { OpenedPolicy } from './opened-policy.ts';
import { policySizes, type PolicySizes } from './policy-sizes.ts';

export interface Describing extends Pick<OpenedPolicy, 'identity' | 'model'> {
  /** of a small network */
  readonly name: string;
  readonly sizes: PolicySizes;
  readonly reader: Pick<Policy, 'countPromptTokens'> & Partial<Pick<Student, 'countVisualTokens'>>;
}

export function expectedPolicy({ name, identity, model, sizes, reader }: Describing): ExpectedPolicy {
  const networks = [...(model?.files.tensors.values() ?? [])].filter(
    ({ name: tensor }) => !tensor.startsWith('language_projection.'),
  );
  return {
    name: model?.folder ?? name,
    identity,
    layers: model?.layers ?? null,
    computing: model && inUse(model),
    sizes,
    frozen: networks.reduce((sum, { shape }) => sum + shape.reduce((count, size) => count * size, 1), 0),
    countPromptTokens: (text) => reader.countPromptTokens(text),
    countVisualTokens: reader.countVisualTokens?.bind(reader) ?? null,
  };
}

/** Of a language model alone. */
export function expectedStudent(student: Student, { layers: _asked, ...model }: OpenModel): ExpectedPolicy {
  const { folder: name, identity } = model;
  return expectedPolicy({
    name,
    identity,
    model: { ...model, layers: student.layers },
    sizes: policySizes(student),
    reader: student,
  });
}
