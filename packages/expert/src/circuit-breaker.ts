/**
 * Ends a run whose service is down, instead of waiting for it at every call anew: after so many failed calls in a row
 * nothing is sent any more, and training pauses where it is.
 */
import { EmacError } from '@emac/core';

export interface CircuitBreaker {
  /** throws EmacError('interrupted') once it is open */
  check(): void;
  succeeded(): void;
  /** the error to throw for a failed call: its own, or, when it opens the circuit, 'interrupted' */
  failed(error: EmacError): EmacError;
}

/** Opens after `maxFailures` failed calls without a success between them; it does not close again. */
export function circuitBreaker(maxFailures: number): CircuitBreaker {
  let failures = 0;
  let last = '';
  const open = (): EmacError =>
    new EmacError(
      'interrupted',
      `${failures} calls in a row failed, the last: ${last}; resume when the service is back`,
    );
  return {
    check() {
      if (failures >= maxFailures) throw open();
    },
    succeeded() {
      if (failures < maxFailures) failures = 0;
    },
    failed(error) {
      failures++;
      last = error.message;
      return failures >= maxFailures ? open() : error;
    },
  };
}
