/** `emac workers`: workers of a queue, their jobs and progress, and the waiting jobs. */
import type { WorkerReport } from '@emac/queue';
import { forgetRun } from '@emac/workers';
import { openQueue } from '../options/queue-options.ts';
import { requiredText, text, toggle } from '../options/option.ts';
import { counted } from '../terminal/amounts.ts';
import { say } from '../terminal/io.ts';
import { table } from '../terminal/table.ts';
import { command } from '../calling/command.ts';

export const workersCommand = command({
  options: {
    queue: requiredText('address of the queue, redis://HOST:PORT or rediss://'),
    forget: text({
      help: 'delete the results and waiting jobs of an abandoned run, by name',
      default: null,
    }),
    json: toggle('print everything as JSON on standard output'),
  },
  run: async ({ queue: address, forget, json }, _words, io) => {
    const queue = await openQueue(address, io.env);
    try {
      if (forget !== null) say(io.stderr, `forgot ${(await forgetRun(queue, forget)).join(', ')}`);
      const [workers, counts, versions] = [
        await queue.workers(),
        await queue.counts(),
        await queue.announced(),
      ];
      if (json) say(io.stdout, JSON.stringify({ workers, ...counts, versions }));
      else say(io.stdout, textOf(workers, counts));
    } finally {
      await queue.close();
    }
    return 0;
  },
});

function textOf(
  workers: readonly WorkerReport[],
  { waiting, leased }: { waiting: number; leased: number },
): string {
  const waits = `${counted(waiting, 'job')} waiting, ${leased} running`;
  if (workers.length === 0) return `no worker is running; ${waits}`;
  const rows = workers.map(({ id, state, job, progress, done, failed }) => {
    return [
      id,
      state,
      job === null ? '' : shortened(job),
      progressText(progress),
      String(done),
      String(failed),
    ];
  });
  return `${table(['worker', 'state', 'job', 'step', 'done', 'failed'], rows)}\n${waits}`;
}

/** Shows hashes by their first digits. */
function shortened(job: string): string {
  return job.replace(/\b([0-9a-f]{12})[0-9a-f]{52}\b/g, '$1');
}

function progressText(progress: WorkerReport['progress']): string {
  const { step, of } = (progress ?? {}) as { readonly step?: number; readonly of?: number };
  return step === undefined ? '' : `${step} of ${of}`;
}
