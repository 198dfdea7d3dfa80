/**
 * Records of a trial log, byte for byte as EMMA and Reflexion (noahshinn/reflexion alfworld_runs) write them. Solved
 * games that are skipped leave one line in both. A record is for people and for published tools; nothing here reads
 * one back: reflections are made from the structured history.
 */

export interface TrialOutcome {
  /** place of the game in the run's list */
  readonly index: number;
  /** the episode as `emmaText` or `reflexionText` of @emac/prompt lays it out */
  readonly text: string;
  readonly success: boolean;
}

/** EMMA's record: the transcript of a failure, one line for a success. */
export function emmaTrialRecord({ index, text, success }: TrialOutcome): string {
  return success ? skippedTrialRecord(index) : record(`${index}:\n${text}STATUS: FAIL`);
}

/** Reflexion's record: the transcript with its status. */
export function reflexionTrialRecord({ index, text, success }: TrialOutcome): string {
  return record(`${index}:\n${text}\n\nSTATUS: ${success ? 'OK' : 'FAIL'}`);
}

/** The line of a game that was solved before. */
export function skippedTrialRecord(index: number): string {
  return record(`${index}: Success`);
}

function record(body: string): string {
  return `\n#####\n\nEnvironment #${body}\n\n#####\n`;
}
