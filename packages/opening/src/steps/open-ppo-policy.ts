/** The policy that a configuration names. */
import { EmacError } from '@emac/core';
import { smallNetworkOf, type PpoConfig } from '@emac/settings';
import type { Host } from '../host.ts';
import { openLanguagePolicy } from './language-policy.ts';
import type { PolicyStart, PpoPolicy } from './ppo-policy.ts';
import { openSmallPolicy } from './small-policy.ts';

/** Errors: `data` for parameters of another policy, `usage` for an environment that it cannot read; those of opening a model. */
export function openPpoPolicy(config: PpoConfig, start: PolicyStart, host: Host): Promise<PpoPolicy> {
  const isSmall = smallNetworkOf(config) !== null;
  if (config.shaping.temporalPredictor > 0 && isSmall)
    return Promise.reject(
      new EmacError(
        'usage',
        `--temporal-predictor: needs a vision-language model, got --policy ${config.policy}; leave it out`,
      ),
    );
  return isSmall ? openSmallPolicy(config, start, host) : openLanguagePolicy(config, start, host);
}
