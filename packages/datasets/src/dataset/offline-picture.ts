/** Pictures of datasets as the policy is given them. */
import { sha256 } from '@emac/files';
import type { PolicyForm } from '@emac/opening';
import { noFrame } from '@emac/rollout';
import type { Dataset } from './offline-dataset.ts';

const blank: ReturnType<Dataset['picture']> = {
  hash: sha256(noFrame.data),
  frame: () => Promise.resolve(noFrame),
};

/** The picture of a record; a blank one for a policy that reads texts alone. */
export function givenPicture(
  dataset: Pick<Dataset, 'picture'>,
  index: number,
  { observe }: Pick<PolicyForm['text'], 'observe'>,
): ReturnType<Dataset['picture']> {
  return observe === 'text' ? blank : dataset.picture(index);
}
