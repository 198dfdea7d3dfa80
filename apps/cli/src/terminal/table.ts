/** Small tables for the terminal. */
import Table from 'cli-table3';

/** Rows under a head, first column left, the others right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const drawn = new Table({
    head: [...head],
    colAligns: head.map((_, column) => (column === 0 ? 'left' : 'right')),
    // lines between rows would double the height
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    style: { head: [], border: [] },
  });
  for (const row of rows) drawn.push([...row]);
  return drawn.toString();
}
