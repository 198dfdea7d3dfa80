/** The parts of an answer that can be parsed as JSON objects: the whole answer, a fence's content, and the text from the first to the last brace. */
export function* jsonObjects(text: string): Generator<Readonly<Record<string, unknown>>> {
  const fenced = /```(?:json)?\s*([\s\S]*?)```/i.exec(text)?.[1];
  const braced = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
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
