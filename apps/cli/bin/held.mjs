// `emac`, once its standard input says so: a queue notes the process first, so that one killed in between starts nothing twice.
import { once } from 'node:events';

process.stdin.resume();
const isWanted = await Promise.race([
  once(process.stdin, 'data').then(() => true),
  once(process.stdin, 'end').then(() => false),
]);
if (!isWanted) process.exit(75);
process.stdin.destroy();
await import('./emac.mjs');
