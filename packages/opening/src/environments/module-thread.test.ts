import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { collectInThreads, moduleThread } from './module-thread.ts';

const folder = temporaryFolder();

/** Tells whether what its first call made is still there. */
const code = `
let made;
export default () => {
  made ??= new WeakRef({ large: new Array(1000).fill(0) });
  return made.deref() !== undefined;
};
`;

it("collects a thread's own objects, which no other thread can", async () => {
  const path = join(folder, 'keeps-nothing.mjs');
  writeFileSync(path, code);
  const url = pathToFileURL(path).href;
  const thread = moduleThread({ url, exported: null, seconds: 60, env: {}, said: () => {} });
  await thread.call({ call: 'load' });
  const isThere = () => thread.call({ call: 'run' });
  expect([await isThere(), await isThere()]).toEqual([true, true]);
  collectInThreads();
  expect(await isThere()).toBe(false);
  await thread.close();
  // none is left to ask
  collectInThreads();
});
