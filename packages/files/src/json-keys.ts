/** JSON objects with duplicate keys: `JSON.parse` silently keeps the last, but trusted formats must have none. */

/** The first duplicate key within one object of a well-formed JSON text, or null. */
export function repeatedKey(json: string): string | null {
  const open: Set<string>[] = [];
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '{') open.push(new Set());
    else if (character === '}') open.pop();
    else if (character === '"') {
      const end = endOfString(json, at);
      if (isKey(json, end + 1)) {
        const key = JSON.parse(json.slice(at, end + 1)) as string;
        const seen = open.at(-1);
        if (seen?.has(key)) return key;
        seen?.add(key);
      }
      at = end;
    }
  }
  return null;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

function isKey(json: string, after: number): boolean {
  let at = after;
  while (json[at] === ' ' || json[at] === '\n' || json[at] === '\r' || json[at] === '\t') at++;
  return json[at] === ':';
}
