/** OpenVLA's prompt. */

/** An empty piece of LLaMA's tokenizer, placed after `Out:` in training. */
const emptyPiece = 29871;

/** The prompt for an instruction, lower-cased. */
export function vlaPrompt(instruction: string): string {
  return `In: What action should the robot take to ${instruction.toLowerCase()}?\nOut:`;
}

/** The prompt's ids as in training: appends 29871 unless it is the last one. */
export function vlaPromptTokens(ids: readonly number[]): number[] {
  return ids.at(-1) === emptyPiece ? [...ids] : [...ids, emptyPiece];
}
