/** `emac stop RUN`: asks a run to stop, waits, and says where it stands. */
import { command } from './command.ts';
import { integer, toggle, type Values } from './option.ts';

const options = {
  timeout: integer([1, 86_400], { help: 'seconds to wait for the run to save itself', default: 600 }),
  json: toggle('print where the run stands as JSON on standard output'),
};

export type StopValues = Values<typeof options>;

export const stopCommand = command({
  name: 'stop',
  summary: 'ask a running run of this machine to save itself and stop, wait for it, and say where it stands',
  argument: { name: 'run', help: 'the run folder' },
  options,
  run: async (values, run, io) => (await import('./stop-run.ts')).stopRun(run, values, io),
});
