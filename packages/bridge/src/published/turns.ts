/**
 * Messages of the published wire, one at a time: each waits for its answer, a command or `SKIP`. The wire has no ids. A
 * message that arrives while another waits is either the same one, sent again, or the first of a new episode.
 */
import { deskError } from '../wire/desk-error.ts';
import type { PublishedMessage } from './message.ts';

/** Not a command for the client, so it leaves the game. */
export const skip = 'SKIP';

export interface Turn {
  readonly message: PublishedMessage;
  /** true for the first message of an episode */
  readonly isFirst: boolean;
  /** Answers; a second call does nothing. */
  reply(command: string): void;
}

export interface Turns {
  /**
   * Takes a client's message; resolves to its answer. `key` identifies a repeated message, `gone` fires when the
   * connection is lost. Errors: those of `deskError`, for a second client among them.
   */
  post(message: PublishedMessage, key: string, gone: AbortSignal): Promise<string>;
  /** The next message not taken yet; null once `cancelled` fires. */
  take(cancelled: AbortSignal): Promise<Turn | null>;
  /** Puts a message back as the next one, unless another has replaced it. */
  putBack(turn: Turn): void;
  /** True if the next message is already there. */
  isThere(): boolean;
  /** Tells every client to leave from now on. */
  finish(): void;
}

interface OpenTurn extends Turn {
  readonly key: string;
  readonly answer: Promise<string>;
  readonly gone: AbortSignal;
  isAnswered: boolean;
}

export function openTurns(): Turns {
  let open: OpenTurn | null = null;
  let next: Turn | null = null;
  let taker: ((turn: Turn) => void) | null = null;
  let isFinished = false;

  const offer = (turn: Turn): void => {
    if (taker) taker(turn);
    else next = turn;
  };

  return {
    post(message, key, gone) {
      if (isFinished) return Promise.resolve(skip);
      if (open && !open.isAnswered) {
        if (open.key === key) return open.answer;
        if (message.type === '' || !open.gone.aborted)
          throw deskError('out_of_step', 'The message before this one has not been answered yet.');
        // the sender of that one is gone
        open.reply(skip);
        next = null;
      }
      open = openTurn(message, key, gone);
      const { answer } = open;
      offer(open);
      return answer;
    },
    take(cancelled) {
      if (next) {
        const turn = next;
        next = null;
        return Promise.resolve(turn);
      }
      if (cancelled.aborted) return Promise.resolve(null);
      return new Promise((resolve) => {
        const end = (turn: Turn | null): void => {
          taker = null;
          cancelled.removeEventListener('abort', giveUp);
          resolve(turn);
        };
        const giveUp = (): void => end(null);
        cancelled.addEventListener('abort', giveUp);
        taker = end;
      });
    },
    putBack(turn) {
      if (next === null) offer(turn);
    },
    isThere: () => next !== null,
    finish() {
      isFinished = true;
      open?.reply(skip);
    },
  };
}

function openTurn(message: PublishedMessage, key: string, gone: AbortSignal): OpenTurn {
  let answerWith: (command: string) => void;
  const answer = new Promise<string>((resolve) => (answerWith = resolve));
  const turn: OpenTurn = {
    message,
    key,
    answer,
    gone,
    isFirst: message.type !== '',
    isAnswered: false,
    reply(command) {
      turn.isAnswered = true;
      answerWith(command);
    },
  };
  return turn;
}
