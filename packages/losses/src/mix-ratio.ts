/**
 * EMMA's `mix_ratio` (Yang et al. 2024; its published code, `blip2_emma.py`): adds behaviour cloning of the chosen
 * answer to the preference loss, loss − mixRatio · πw.
 */
import type { Arithmetic } from '@emac/core';

/** The loss of each pair with that term; `policyChosen` as given to the loss. */
export function withMixRatio<T>(
  arithmetic: Arithmetic<T>,
  loss: T,
  { policyChosen, mixRatio }: { readonly policyChosen: T; readonly mixRatio: number },
): T {
  return mixRatio === 0 ? loss : arithmetic.add(loss, arithmetic.scale(policyChosen, -mixRatio));
}
