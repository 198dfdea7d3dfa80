/** The clock of all waiting code here, passed in for tests. */

export interface Timer {
  /** Acts once after so many milliseconds; the returned function cancels. */
  after(milliseconds: number, act: () => void): () => void;
}

export const realTimer: Timer = {
  after(milliseconds, act) {
    const timeout = setTimeout(act, milliseconds);
    return () => clearTimeout(timeout);
  },
};
