/** Checks of requested settings that hold for every policy. */
import { isJudged, labelMethod, type LabelMethod } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import type { Host } from '@emac/opening';
import type { TrainConfig } from '@emac/settings';

/** Errors: `usage` if the configuration names another method than the program passes. */
export function methodOf({ phase, method: named }: TrainConfig, { method: given }: Host): LabelMethod {
  if (named === given?.name) return given?.method ?? labelMethod(phase);
  throw new EmacError(
    'usage',
    `method: the configuration names ${named ?? 'none'}, the program passes ${given?.name ?? 'none'}; a custom method is code, so train and resume with it from its program`,
  );
}

/** True if training starts from the reference by default or by name. */
export function isOwnStart({ init, start }: TrainConfig): boolean {
  return init === null || init === start.ref;
}

/** Errors: `usage` for settings that exclude each other. */
export function checkTogether({ phase, start, dataset, samples }: TrainConfig): void {
  if (dataset !== null && samples.agreed === 'random')
    throw new EmacError(
      'usage',
      '--agreed random: draws among the commands of a game, but --data holds none; give drop or keep',
    );
  if (isJudged(phase) && start.ref === null)
    throw new EmacError(
      'usage',
      `--phase ${phase}: needs a policy to start from; give --ref with the run of --phase bc`,
    );
  if (!isJudged(phase) && start.ref !== null)
    throw new EmacError(
      'usage',
      `--ref: is for methods that judge by a reference policy, such as dpo, got --phase ${phase}; give --init to start from another policy`,
    );
}
