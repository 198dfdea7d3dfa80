/** Everything a command may touch of the process around it, passed in for tests. */
export interface Writer {
  /** writes the text unchanged; a closed reader is no error */
  write(text: string): void;
  readonly isTerminal: boolean;
  /** characters in a line */
  readonly columns: number;
  /** true after the reader has closed */
  readonly isClosed: boolean;
}

export interface Io {
  /** the result: reports and JSON */
  readonly stdout: Writer;
  /** progress and errors */
  readonly stderr: Writer;
  readonly stdin: NodeJS.ReadableStream;
  /** the words after `emac`; empty if nobody typed any */
  readonly argv?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** milliseconds since 1970 */
  readonly now: () => number;
  /** from now on the first interruption fires the signal instead of ending the process; `said` names the work to finish */
  readonly catchInterruption: (said?: string) => AbortSignal;
}

/** Writes a line. */
export function say(writer: Writer, line: string): void {
  writer.write(`${line}\n`);
}
