/**
 * Progress of `learn` for a program that passes no host, on a terminal alone: one line that is overwritten, and a line for every round. Without a terminal
 * nothing is written.
 */
import { plainHost, type Host, type Listener } from '@emac/opening';

/** Where it is shown: the process's standard error. */
type Screen = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean | undefined };

/** The process's clock and environment; on a terminal with progress. */
export function shownHost(screen: Screen = process.stderr): Host {
  return plainHost(screen.isTTY ? { listener: shownOn(screen) } : {});
}

function shownOn(screen: Screen): Listener {
  let part = { name: '', noun: '', total: 0, done: 0, won: 0 };
  const draw = (text: string) => void screen.write(`\r\u001b[K${text}`);
  const say = (line: string) => draw(`${line}\n`);
  const advance = (isWon: boolean) => {
    part = { ...part, done: part.done + 1, won: part.won + Number(isWon) };
    draw(
      `${part.name}: ${part.noun} ${part.done} of ${part.total}${part.won > 0 ? `, ${part.won} won` : ''}`,
    );
  };
  return {
    note: say,
    begin: (name, total, { done = 0, noun = 'game' } = {}) => {
      part = { name, noun, total, done, won: 0 };
      draw(`${name}: ${total} ${noun}s`);
    },
    advance: () => advance(false),
    game: ({ won }) => advance(won),
    training: (event) => {
      if (event.kind === 'episode-end') advance(event.won);
      if (event.kind === 'round-end')
        say(
          `round ${event.line.round + 1}: ${String(event.line['won'])} of ${String(event.line['played'])} won`,
        );
    },
    reinforced: (line) => draw(`${part.name}: update ${line.update + 1}`),
    end: () => draw(''),
  };
}
