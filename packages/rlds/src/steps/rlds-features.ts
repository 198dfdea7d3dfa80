/** The features of a dataset in RLDS form, with the names of the published LIBERO datasets. */
import { tensorFeature, type Feature } from '../features/feature.ts';

export interface RldsParts {
  /** parts of an observation: pictures, states */
  readonly observation: Readonly<Record<string, Feature>>;
  readonly action: Feature;
  /** further parts of every step */
  readonly step?: Readonly<Record<string, Feature>>;
}

/** Features of episodes: `steps` with flags, reward, discount and `language_instruction`; `episode_metadata.file_path`. */
export function rldsFeatures({ observation, action, step = {} }: RldsParts): Feature {
  const number = tensorFeature('float32');
  const flag = tensorFeature('bool');
  const steps: Readonly<Record<string, Feature>> = {
    ...step,
    observation: { kind: 'dict', features: observation },
    action,
    reward: number,
    discount: number,
    is_first: flag,
    is_last: flag,
    is_terminal: flag,
    language_instruction: { kind: 'text' },
  };
  const metadata: Feature = { kind: 'dict', features: { file_path: { kind: 'text' } } };
  return {
    kind: 'dict',
    features: {
      steps: { kind: 'dataset', feature: { kind: 'dict', features: steps } },
      episode_metadata: metadata,
    },
  };
}
