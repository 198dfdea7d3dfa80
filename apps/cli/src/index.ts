export { runCommand } from './run-command.ts';
export type { Io, Writer } from './terminal/io.ts';
