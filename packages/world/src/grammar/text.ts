/**
 * A right-hand side of the text grammar, read into symbols: plain text, `#rule#`, `{expression}`, `{… | condition}`
 * (one result per solution, joined) and `[{… | condition}]` (the same as a list). As in the reference, leading white
 * space is dropped, and reading stops silently at the first invalid character.
 */

export type TextExpression =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'property'; readonly variable: string; readonly property: 'name' | 'id' | 'indefinite' }
  | { readonly kind: 'join' | 'first'; readonly parts: readonly TextExpression[] };

export interface ConditionAtom {
  readonly predicate: string;
  readonly variables: readonly { readonly name: string; readonly type: string }[];
}

export type Production =
  | { readonly kind: 'rule'; readonly rule: string }
  | { readonly kind: 'expression'; readonly expression: TextExpression };

export type TextSymbol =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'each';
      readonly production: Production;
      /** none: exactly once, with the bindings as they are */
      readonly condition: readonly ConditionAtom[] | null;
      readonly asList: boolean;
    };

const plain = /[^;|"<>[\]#{}]+/y;
const ruleReference = /#([^#]+)#/y;
const braced = /\{(?:\s*#([^#]+)#\s*|([^{}|#]*))(?:\|([^{}]*))?\}/y;

export function readText(source: string): TextSymbol[] {
  const text = source.trimStart();
  const symbols: TextSymbol[] = [];
  for (let at = 0; at < text.length;) {
    const literal = matchAt(plain, text, at);
    if (literal) {
      symbols.push({ kind: 'text', text: literal[0] });
      at += literal[0].length;
      continue;
    }
    const rule = matchAt(ruleReference, text, at);
    if (rule) {
      const production: Production = { kind: 'rule', rule: rule[1]! };
      symbols.push({ kind: 'each', production, condition: null, asList: false });
      at += rule[0].length;
      continue;
    }
    const asList = text[at] === '[';
    const start = asList ? at + 1 : at;
    const brace = matchAt(braced, text, start);
    if (!brace) break;
    const end = start + brace[0].length;
    const symbol = readBraced(brace, asList);
    if (!symbol || (asList && text[end] !== ']')) break;
    symbols.push(symbol);
    at = asList ? end + 1 : end;
  }
  return symbols;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function readBraced([, rule, source, conditionText]: RegExpExecArray, asList: boolean): TextSymbol | null {
  const condition = conditionText === undefined ? null : readCondition(conditionText);
  if (rule !== undefined) return { kind: 'each', production: { kind: 'rule', rule }, condition, asList };
  const expression = readExpression(source ?? '');
  return expression && { kind: 'each', production: { kind: 'expression', expression }, condition, asList };
}

/** `a or b`, `a + ' ' + b`, `x`, `x.name`; null if invalid. */
function readExpression(source: string): TextExpression | null {
  const token = /\s*(?:'([^']*)'|(or)\b|(\+)|([A-Za-z_]\w*)(?:\.(name|id|indefinite))?)/y;
  const sums: TextExpression[][] = [[]];
  let expectOperand = true;
  for (let at = 0; at < source.length; at = token.lastIndex) {
    const match = matchAt(token, source, at);
    if (!match) return source.slice(at).trim() === '' ? finish() : null;
    const [, quoted, or, plus, variable, property = 'name'] = match;
    if ((or ?? plus) !== undefined) {
      if (expectOperand) return null;
      if (or) sums.push([]);
      expectOperand = true;
      continue;
    }
    if (!expectOperand) return null;
    sums
      .at(-1)!
      .push(
        variable === undefined
          ? { kind: 'literal', text: quoted! }
          : { kind: 'property', variable, property: property as 'name' | 'id' | 'indefinite' },
      );
    expectOperand = false;
  }
  return finish();

  function finish(): TextExpression | null {
    if (expectOperand) return null;
    return { kind: 'first', parts: sums.map((parts) => ({ kind: 'join', parts })) };
  }
}

/** `pred(v:type, …) & …`; null if invalid. Empty text is the condition without atoms. */
export function readCondition(source: string): readonly ConditionAtom[] {
  if (source.trim() === '') return [];
  return source.split('&').map((part) => {
    const match = /^\s*([^\s()]+)\s*\(([^()]*)\)\s*$/.exec(part);
    const variables = (match?.[2] ?? '')
      .split(',')
      .filter((word) => word.trim() !== '')
      .map((word) => {
        const [name = '', type = 'object'] = word.split(':').map((each) => each.trim());
        return { name, type };
      });
    return { predicate: match?.[1] ?? part.trim(), variables };
  });
}
