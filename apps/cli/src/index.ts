export { runCommand } from './run-command.ts';
export type { Io, Writer } from './io.ts';
