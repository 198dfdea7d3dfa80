/** The types of `beating.mjs`. */
interface Commands {
  set(key: string, value: string, unit: 'PX', ms: number): Commands;
  sadd(key: string, member: string): Commands;
  srem(key: string, member: string): Commands;
  del(key: string): Commands;
  exec(): Promise<unknown>;
}

export interface BeatingSettings {
  readonly leaseMs: number;
  readonly every: number;
  readonly prefix: string;
  readonly report: { readonly id: string };
}

export interface BeatingParts {
  readonly redis: { readonly status: string; multi(): Commands };
  /** extends a job's lock; falsy if another holds it */
  readonly extend: (id: string, token: string, leaseMs: number) => Promise<unknown>;
  readonly after: (ms: number, action: () => void) => () => void;
  readonly post: (message: { readonly lost: string }) => void;
  readonly end: () => void;
}

export type ToHeart = Readonly<{
  hold?: { readonly id: string; readonly token: string; readonly key: string };
  release?: string;
  report?: { readonly id: string };
  stop?: boolean;
}>;

export function beating(settings: BeatingSettings, parts: BeatingParts): Promise<(message: ToHeart) => void>;
