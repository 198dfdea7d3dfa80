/** Reads files of results in the queue; they must still be in the shared folder. */
import { EmacError } from '@emac/core';
import { forgetting } from './run-names.ts';

interface Result {
  /** the result's task */
  readonly task: string;
  readonly run: string;
}

/**
 * Calls `read`. Errors: `missing` if the file is gone, with the command that forgets the run's results; others
 * unchanged.
 */
export async function stillThere<T>({ task, run }: Result, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || thrown.code !== 'missing') throw thrown;
    throw new EmacError(
      'missing',
      `workers: the shared folder must hold every result that the queue has, that of ${task} is gone (${thrown.message}); give the folder that was used, or ${forgetting(run)} and start again`,
      { cause: thrown },
    );
  }
}
