/**
 * BLEU-4 of a whole set of answers (Papineni et al. 2002): the geometric mean of the clipped n-gram precisions for n =
 * 1 … 4, counted over all answers together, times the brevity penalty. Commands are short, so for n ≥ 2 one is added to
 * matches and to n-grams (Lin and Och 2004, "ORANGE"). A set of correct answers scores exactly 1.
 */
const longest = 4;

export interface AnsweredWords {
  readonly answer: readonly string[];
  readonly reference: readonly string[];
}

/** From 0 to 1; null without any answers. */
export function bleu(answers: readonly AnsweredWords[]): number | null {
  if (answers.length === 0) return null;
  const [said, wanted] = [wordCount(answers, 'answer'), wordCount(answers, 'reference')];
  if (said === 0) return 0;
  let logSum = 0;
  for (let n = 1; n <= longest; n++) logSum += Math.log(precision(answers, n));
  const brevity = said < wanted ? Math.exp(1 - wanted / said) : 1;
  return brevity * Math.exp(logSum / longest);
}

function wordCount(answers: readonly AnsweredWords[], side: keyof AnsweredWords): number {
  return answers.reduce((sum, each) => sum + each[side].length, 0);
}

function precision(answers: readonly AnsweredWords[], n: number): number {
  let [matches, total] = n === 1 ? [0, 0] : [1, 1];
  for (const { answer, reference } of answers) {
    const there = countsOf(ngrams(reference, n));
    for (const [ngram, count] of countsOf(ngrams(answer, n))) {
      total += count;
      matches += Math.min(count, there.get(ngram) ?? 0);
    }
  }
  return matches / total;
}

function ngrams(words: readonly string[], n: number): string[] {
  const count = Math.max(0, words.length - n + 1);
  return Array.from({ length: count }, (_, place) => words.slice(place, place + n).join(' '));
}

function countsOf(ngrams: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of ngrams) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}
