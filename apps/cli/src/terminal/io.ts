/** What a command may touch of the process around it, passed in so that tests can look on. */
export interface Writer {
  /** writes as it stands; a reader that has gone away is no error */
  write(text: string): void;
  readonly isTerminal: boolean;
  /** characters in a line */
  readonly columns: number;
  /** true when nobody reads any more */
  readonly isClosed: boolean;
}

export interface Io {
  /** the result: reports and JSON */
  readonly stdout: Writer;
  /** words on the way, and errors */
  readonly stderr: Writer;
  readonly stdin: NodeJS.ReadableStream;
  /** words after `emac`, as they were given; none where nobody typed any */
  readonly argv?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** milliseconds since 1970 */
  readonly now: () => number;
  /** from now on the first interruption fires the signal instead of ending the process; `said` is what is finished then */
  readonly catchInterruption: (said?: string) => AbortSignal;
}

/** Writes a line. */
export function say(writer: Writer, line: string): void {
  writer.write(`${line}\n`);
}
