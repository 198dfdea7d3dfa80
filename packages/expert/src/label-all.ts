/** Labels given histories with a limited number of calls in flight. */
import type { Expert, Label, LabelRequest } from '@emac/core';

export interface LabelAllOptions {
  readonly expert: Expert;
  /** concurrent label requests; the language model's own limit also applies */
  readonly inFlight: number;
  readonly signal?: AbortSignal;
  /** called for each finished label, in any order */
  readonly onLabel?: (label: Label, index: number) => Promise<void> | void;
}

/**
 * A label for every request, in order. After a fault, or when the signal fires, nothing new is sent. Pending requests
 * are paid for, so they are awaited and journaled; then the first fault, or the signal's reason, is thrown.
 */
export async function labelAll(
  requests: readonly LabelRequest[],
  { expert, inFlight, signal, onLabel }: LabelAllOptions,
): Promise<readonly Label[]> {
  const labels = new Array<Label>(requests.length);
  let next = 0;
  let isStopped = false;
  const worker = async (): Promise<void> => {
    while (next < requests.length && !isStopped && !signal?.aborted) {
      const index = next++;
      try {
        const label = await expert.label(requests[index]!);
        labels[index] = label;
        await onLabel?.(label, index);
      } catch (thrown) {
        isStopped = true;
        throw thrown;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: inFlight }, worker));
  const fault = ended.find((each) => each.status === 'rejected');
  if (fault) throw fault.reason;
  signal?.throwIfAborted();
  return labels;
}
