/**
 * Stops a run when its service is down, instead of waiting for it on every call: after `maxFailures` consecutive failed
 * calls nothing more is sent, and training pauses.
 */
import { EmacError } from '@emac/core';

export interface CircuitBreaker {
  /** throws EmacError('interrupted') once it is open */
  check(): void;
  succeeded(): void;
  /** the error to throw for a failed call: its own, or 'interrupted' when it opens the circuit */
  failed(error: EmacError): EmacError;
}

/** Opens after `maxFailures` consecutive failed calls; never closes again. */
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
