/// <reference lib="dom" />
/** The machine, as a tab sees it. */

/** How many threads compute at once here: one where the page is not isolated from other origins, since threads need shared memory. */
export function processorCores(): number {
  return crossOriginIsolated ? navigator.hardwareConcurrency : 1;
}

/** Tells this load of the page from others. */
export const processId = crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1;
