/** Results that the queue has must be in the shared folder still. */
import { EmacError } from '@emac/core';
import { forgetting } from './run-names.ts';

interface Result {
  /** what it is of */
  readonly task: string;
  readonly run: string;
}

/** What `read` gives. Errors: `missing`, saying how the run's results are forgotten, where it is gone; others as they are. */
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
