/** A step of a game, as data and in words. */

/** One line of `--json`. */
export interface PlayedStep {
  readonly step: number;
  readonly command: string | null;
  readonly observation: string;
  readonly admissible: readonly string[];
  readonly score: number;
  /** the game is over, or its step limit reached */
  readonly done: boolean;
  readonly won: boolean;
}

/** A game's answer to a command. */
export interface GameState extends Pick<PlayedStep, 'observation' | 'admissible' | 'score' | 'won'> {
  readonly isOver: boolean;
}

export interface Taken {
  readonly step: number;
  readonly command: string | null;
  readonly limit: number;
}

/** The world's answer at a step. */
export function played(
  { observation, admissible, score, won, isOver }: GameState,
  { step, command, limit }: Taken,
): PlayedStep {
  return { step, command, observation, admissible, score, done: isOver || step >= limit, won };
}

/** For a file: repeats the command. */
export function words({ step, command, observation, won, done }: PlayedStep): string {
  const end = won ? `\n\nYou won in ${step} steps.` : done ? '\n\nThe step limit is reached.' : '';
  return `${command === null ? '' : `> ${command}\n`}${observation}${end}`;
}

/** For a person: without the command, because the terminal shows it already. */
export function wordsToAPerson({ step, observation, won, done }: PlayedStep): string {
  const steps = step === 1 ? '1 step' : `${step} steps`;
  if (won) return `${observation}\n\nWell done: you won in ${steps}.`;
  return done ? `${observation}\n\nThat was the limit of ${steps}; better luck next time.` : observation;
}
