/** What is used of `node:events` in a tab. */
export class EventEmitter extends EventTarget {}
export const setMaxListeners = (): void => {};
export default EventEmitter;
