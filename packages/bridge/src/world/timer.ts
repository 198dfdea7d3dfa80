/** The clock of everything here that waits, given so that tests need not. */

export interface Timer {
  /** Acts once, so many milliseconds from now, unless it is cancelled before by the function that comes back. */
  after(milliseconds: number, act: () => void): () => void;
}

export const realTimer: Timer = {
  after(milliseconds, act) {
    const timeout = setTimeout(act, milliseconds);
    return () => clearTimeout(timeout);
  },
};
