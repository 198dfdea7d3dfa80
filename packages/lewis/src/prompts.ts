/**
 * The published prompts of speaker and listener, verbatim; only the listener's training prompt with reasons is our
 * wording.
 */

/** A category's name in a prompt. */
export function shownCategory(category: string): string {
  return shownNames.get(category) ?? category;
}

const shownNames: ReadonlyMap<string, string> = new Map([
  ['veg', 'vegetable'],
  ['decoration', 'decoration object'],
  ['retail', 'retail object'],
  ['tro_bag', 'trolley bag'],
]);

/** It asks for 5–6 words, while the published length reward wants 6–8. */
export function speakerPrompt(category: string): string {
  const shown = shownCategory(category);
  return `Provide two descriptions of the ${shown} in the image:
1. A coarse 5-6 word description starting with "A photo of a "
2. A detailed description: Describe the ${shown} so it can be distinguished from other ${shown}s. Do NOT mention background, location or state. If the image contains a person, avoid mentioning clothing or accessories. Write exactly one fluent sentence beginning with "The " and highlighting 3-4 visible distinguishing attributes. Keep it concise and natural, without lists or brackets.

Output format:
<thinking>Your reasoning</thinking>
<coarse>A photo of a ...</coarse>
<detailed>The ...</detailed>`;
}

/** Asked for each candidate alone: the probability of "yes" is the candidate's score. */
export function listenerQuestion(description: string): string {
  return `Does this description "${description}" accurately describe the main subject in the image? Answer yes or no.`;
}

/** The listener's training prompt: reasons, then a verdict, as JSON. */
export function listenerPrompt(description: string): string {
  return reasonedQuestion(listenerQuestion(description));
}

/** A question that asks for reasons first. */
export function reasonedQuestion(question: string): string {
  return `${question}

Output format:
\`\`\`json
{"Reasoning": "Your reasoning", "Answer": "yes or no"}
\`\`\``;
}
