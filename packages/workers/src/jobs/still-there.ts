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
      `workers: the shared folder must hold every result of the queue, the result of ${task} is missing (${thrown.message}); give the folder of that run, or ${forgetting(run)} and start again`,
      { cause: thrown },
    );
  }
}
