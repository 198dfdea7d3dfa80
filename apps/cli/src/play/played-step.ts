/** A step of a game that is played, as data and in words. */

/** One line of `--json`. */
export interface PlayedStep {
  readonly step: number;
  readonly command: string | null;
  readonly observation: string;
  readonly admissible: readonly string[];
  readonly score: number;
  /** it is over, or the step limit is reached */
  readonly done: boolean;
  readonly won: boolean;
}

/** What a game answers. */
export interface GameState extends Pick<PlayedStep, 'observation' | 'admissible' | 'score' | 'won'> {
  readonly isOver: boolean;
}

export interface Taken {
  readonly step: number;
  readonly command: string | null;
  readonly limit: number;
}

/** What the world answered at a step. */
export function played(
  { observation, admissible, score, won, isOver }: GameState,
  { step, command, limit }: Taken,
): PlayedStep {
  return { step, command, observation, admissible, score, done: isOver || step >= limit, won };
}

/** For a file: the command is repeated. */
export function words({ step, command, observation, won, done }: PlayedStep): string {
  const end = won ? `\n\nYou won in ${step} steps.` : done ? '\n\nNo more steps.' : '';
  return `${command === null ? '' : `> ${command}\n`}${observation}${end}`;
}

/** For a person: the terminal shows what was typed already. */
export function wordsToAPerson({ step, observation, won, done }: PlayedStep): string {
  const steps = step === 1 ? '1 step' : `${step} steps`;
  if (won) return `${observation}\n\nWell done: you won in ${steps}.`;
  return done ? `${observation}\n\nThat was the limit of ${steps}; better luck next time.` : observation;
}
