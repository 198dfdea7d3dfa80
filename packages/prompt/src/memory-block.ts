/**
 * Lessons from earlier attempts as a block of text. Both published layouts number the lessons inside the window
 * (0, 1, 2), not by attempt: EMMA writes `Trial 0: …` on one line, Reflexion puts the lesson on its own line.
 */

/** Number of lessons shown in the papers: the last three. */
const memoryWindow = 3;

/** The last `count` lessons, oldest first. */
export function recentMemories(memories: readonly string[], count: number = memoryWindow): readonly string[] {
  return count > 0 ? memories.slice(-count) : [];
}

/** `Your memory for the task below:` and up to three numbered lessons, without a final line break; '' for none. */
export function memoryBlock(memories: readonly string[], layout: 'emma' | 'reflexion' = 'emma'): string {
  const recent = recentMemories(memories);
  if (recent.length === 0) return '';
  const separator = layout === 'emma' ? ' ' : '\n';
  const lines = recent.map((memory, index) => `Trial ${index}:${separator}${memory.trim()}`);
  return ['Your memory for the task below:', ...lines].join('\n');
}
