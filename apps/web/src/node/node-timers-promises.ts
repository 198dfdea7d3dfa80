/** `node:timers/promises` of a tab. */

/** After messages and timers that wait: a browser delays timers in a row, but not messages. */
export function setImmediate<T>(value?: T): Promise<T | undefined> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(value);
    };
    port2.postMessage(null);
  });
}

export function setTimeout<T>(milliseconds: number, value?: T): Promise<T | undefined> {
  return new Promise((resolve) => globalThis.setTimeout(() => resolve(value), milliseconds));
}
