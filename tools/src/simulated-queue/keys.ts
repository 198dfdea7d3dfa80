/** The keys of a simulated Redis: texts with an expiry, sets, hashes and lists; copied whole where a crash forgets. */

/** Key by key; a key has one kind. */
export class Keys {
  readonly texts = new Map<string, { readonly value: string; readonly until: number }>();
  readonly sets = new Map<string, Set<string>>();
  readonly hashes = new Map<string, Map<string, string>>();
  readonly lists = new Map<string, string[]>();

  copy(): Keys {
    const copy = new Keys();
    for (const [key, each] of this.texts) copy.texts.set(key, each);
    for (const [key, each] of this.sets) copy.sets.set(key, new Set(each));
    for (const [key, each] of this.hashes) copy.hashes.set(key, new Map(each));
    for (const [key, each] of this.lists) copy.lists.set(key, [...each]);
    return copy;
  }

  set(key: string): Set<string> {
    return made(this.sets, key, () => new Set());
  }

  hash(key: string): Map<string, string> {
    return made(this.hashes, key, () => new Map());
  }

  list(key: string): string[] {
    return made(this.lists, key, () => []);
  }

  has(key: string): boolean {
    return (
      this.texts.has(key) ||
      (this.sets.get(key)?.size ?? 0) > 0 ||
      (this.hashes.get(key)?.size ?? 0) > 0 ||
      (this.lists.get(key)?.length ?? 0) > 0
    );
  }

  delete(key: string): void {
    for (const kind of [this.texts, this.sets, this.hashes, this.lists]) kind.delete(key);
  }

  /** All keys that hold something. */
  names(): string[] {
    const all = [this.texts, this.sets, this.hashes, this.lists].flatMap((kind) => [...kind.keys()]);
    return all.filter((key) => this.has(key));
  }
}

/** Keys on a server. */
export interface KeysOverTime {
  readonly clock: number;
  /** leases of dead workers stay */
  readonly isWithoutExpiry: boolean;
  /** without expired ones; `isWrite` if they will change */
  keys(isWrite: boolean): Keys;
  /** wakes one who waits for the mark */
  mark(key: string): void;
}

function made<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known) return known;
  const fresh = make();
  map.set(key, fresh);
  return fresh;
}

/** Removes one occurrence; false if there is none. */
export function without(list: string[], item: string): boolean {
  const place = list.indexOf(item);
  if (place >= 0) list.splice(place, 1);
  return place >= 0;
}
