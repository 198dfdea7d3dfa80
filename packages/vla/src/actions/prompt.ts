/** OpenVLA's prompt. */

/** The prompt for an instruction, lower-cased. */
export function vlaPrompt(instruction: string): string {
  return `In: What action should the robot take to ${instruction.toLowerCase()}?\nOut:`;
}
