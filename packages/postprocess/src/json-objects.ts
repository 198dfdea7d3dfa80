import { answerParts } from './answer-part.ts';

/**
 * The parts of an answer that can be parsed as JSON objects: the whole answer; after its reasoning and inside its tags a fence's
 * content, and the text from the first to the last brace.
 */
export function* jsonObjects(text: string): Generator<Readonly<Record<string, unknown>>> {
  const { answer } = answerParts(text);
  const fenced = /```(?:json)?\s*([\s\S]*?)```/i.exec(answer)?.[1];
  const braced = answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1);
  for (const candidate of [text, fenced ?? '', braced]) {
    const value = parsed(candidate);
    if (value instanceof Object) yield value as Readonly<Record<string, unknown>>;
  }
}

/** Published prompts show braces with a backslash, and models repeat it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.trim().replace(/^\\\{/, '{').replace(/\\\}$/, '}'));
  } catch {
    return null;
  }
}
