/** The Web Worker that trains: its disk first, since modules read files while they load. */
import './process.ts';
import { keepTabDisk } from '@emac/platform/tab';
import { fillDisk } from './files.ts';
import type { FromTrainer, ToTrainer } from './messages.ts';

const say = (message: FromTrainer): void => postMessage(message);

async function begun(): Promise<typeof import('./training.ts')> {
  await keepTabDisk();
  await fillDisk('/emac/');
  return import('./training.ts');
}

const training = begun();
training.then(
  ({ tabRuns }) => {
    say({ kind: 'ready' });
    say({ kind: 'runs', runs: tabRuns() });
  },
  (error: unknown) => say({ kind: 'absent', message: (error as Error).message }),
);

addEventListener('message', ({ data }: MessageEvent<ToTrainer>) => {
  void training.then(({ answer }) => answer(data, say));
});
