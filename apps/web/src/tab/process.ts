/** What code of Node's expects to be everywhere. Imported first. */
import { Buffer, processId } from '@emac/platform';

const nothing = (): object => process;
const silent = { isTTY: false, write: () => true };

/** No signal, no argument, no environment; other loads of the page are processes that have ended. */
const process = {
  argv: [],
  arch: 'wasm32',
  cpuUsage: () => ({ user: 0, system: 0 }),
  cwd: () => '/',
  env: {},
  kill: (id: number) => {
    if (id !== processId) throw Object.assign(new Error(`ESRCH: no process ${id}`), { code: 'ESRCH' });
    return true;
  },
  memoryUsage: Object.assign(() => ({ rss: 0 }), { rss: () => 0 }),
  off: nothing,
  on: nothing,
  once: nothing,
  pid: processId,
  platform: 'linux',
  stderr: silent,
  stdout: silent,
  version: 'tab',
  // not `node`: libraries would load what only Node has
  versions: {},
};

/** Node's timers are objects that can let the process end; those of a tab are numbers. */
function timersAsObjects(name: 'setTimeout' | 'setInterval'): void {
  const own = globalThis[name] as (...args: unknown[]) => number;
  const withReference = (...args: unknown[]) => {
    const timer = Object.assign(new Number(own(...args)), { ref: () => timer, unref: () => timer });
    return timer;
  };
  Object.assign(globalThis, { [name]: withReference });
}

Object.assign(globalThis, { Buffer, process });
timersAsObjects('setTimeout');
timersAsObjects('setInterval');
