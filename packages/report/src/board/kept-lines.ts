/** The lines of the JSON-lines files that pages ask for again and again: only what was appended is read. */
import { nextPiece, nothingRead, type ReadSoFar } from './appended-lines.ts';

type Line = Readonly<Record<string, unknown>>;

interface Kept {
  read: ReadSoFar;
  lines: Line[];
}

/** files whose lines are kept, those asked for last; a page of a run asks for two */
const most = 8;

/** A reader of files, each as far as its last whole line. Errors: those of reading. */
export function keptLines(): (path: string) => readonly Line[] {
  const files = new Map<string, Kept>();
  return (path) => {
    const kept = files.get(path) ?? { read: nothingRead, lines: [] };
    // the one asked for last is the last one
    files.delete(path);
    files.set(path, kept);
    for (const old of [...files.keys()].slice(0, -most)) files.delete(old);
    for (let piece = nextPiece(path, kept.read); piece !== null; piece = nextPiece(path, kept.read)) {
      if (piece.isNew) kept.lines = [];
      for (const line of piece.lines) kept.lines.push(line as Line);
      kept.read = piece.read;
      if (piece.lines.length === 0 && piece.read.offset === 0) break;
    }
    return kept.lines;
  };
}
