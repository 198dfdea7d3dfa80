import { both, type Host } from './host.ts';
import type { MemoryLimit } from './memory-limit.ts';

/** The host of work under the limit. */
export function limitedHost<H extends Host>(host: H, memory: MemoryLimit | null): H {
  if (memory === null) return host;
  const check = (): void => memory.check();
  const checking = {
    advance: check,
    step: check,
    game: check,
    training: check,
    offline: check,
    reinforced: check,
  };
  const { signal, listener } = host;
  return {
    ...host,
    memory,
    signal: signal ? AbortSignal.any([signal, memory.signal]) : memory.signal,
    listener: listener ? both(listener, checking) : checking,
  };
}
