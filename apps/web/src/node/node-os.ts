/** `node:os` of a tab. */
import { processorCores } from '@emac/platform';

export const availableParallelism = processorCores;
export const homedir = (): string => '/home';
/** Runs of every load of the page are of one machine. */
export const hostname = (): string => 'tab';
export const tmpdir = (): string => '/tmp';
export default { availableParallelism, homedir, hostname, tmpdir };
