/** Environments and policies over HTTP, both sides of the wire. */
export {};
