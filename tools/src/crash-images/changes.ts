/** What calls of a file system changed, in order. Files and folders are numbers, as a file system's inodes; 0 is the watched folder. */
export type Change =
  | { readonly kind: 'write'; readonly file: number; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'cut'; readonly file: number; readonly length: number }
  /** a new name for a new file or folder */
  | { readonly kind: 'enter'; readonly place: Place; readonly node: number; readonly isFolder: boolean }
  | { readonly kind: 'remove'; readonly place: Place }
  | { readonly kind: 'rename'; readonly from: Place; readonly to: Place; readonly node: number }
  /** fsync of a file or folder */
  | { readonly kind: 'sync'; readonly node: number };

export interface Place {
  readonly folder: number;
  readonly name: string;
}

/** A change with the path it was asked for, for people and for choosing faults. */
export interface Recorded {
  readonly change: Change;
  /** below the watched folder */
  readonly path: string;
}

/** Paths below the watched folder with their bytes; null for a folder. */
export type Tree = ReadonlyMap<string, Uint8Array | null>;
