/**
 * A language model's plan as one line. The published code keeps the first line, often only a heading in a chat model's
 * answer; here reasoning and tags are dropped, all lines are joined and the text is truncated at a sentence.
 */
import { answerParts } from '@emac/postprocess';

/** Longest lesson in characters: about 150 tokens. */
export const maxLessonLength = 600;

/** The lesson in an answer, as one line of at most `maxLessonLength` characters; '' without one. */
export function lessonOf(answer: string): string {
  const lines = answerParts(answer)
    .answer.replace(/[*_`#]+/g, '')
    .split(/\r?\n/)
    .map((line) => line.trim());
  const joined = lines
    .join(' ')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return cutAtSentence(withoutLabel(joined));
}

function withoutLabel(text: string): string {
  const rest = text.replace(/^(?:think|thought|new plan|plan|lesson|answer)\s*:\s*/i, '').trim();
  return rest === text ? text : withoutLabel(rest);
}

function cutAtSentence(text: string): string {
  if (text.length <= maxLessonLength) return text;
  const cut = text.slice(0, maxLessonLength);
  const end = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf('! '));
  return end > 0 ? cut.slice(0, end + 1) : cut.slice(0, cut.lastIndexOf(' ')).trim();
}
