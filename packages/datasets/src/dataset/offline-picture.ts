/** Pictures of datasets as the policy gets them. */
import { sha256 } from '@emac/files';
import type { PolicyForm } from '@emac/opening';
import { noFrame } from '@emac/rollout';
import type { Dataset } from './offline-dataset.ts';

const blank: ReturnType<Dataset['picture']> = {
  hash: sha256(noFrame.data),
  frame: () => Promise.resolve(noFrame),
};

/** A record's picture; a blank one for a text-only policy. */
export function givenPicture(
  dataset: Pick<Dataset, 'picture'>,
  index: number,
  { observe }: Pick<PolicyForm['text'], 'observe'>,
): ReturnType<Dataset['picture']> {
  return observe === 'text' ? blank : dataset.picture(index);
}
