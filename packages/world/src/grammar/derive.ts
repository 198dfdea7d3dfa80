/**
 * Derives texts from the grammar over the current facts. The first of a rule's alternatives with an empty or
 * satisfiable condition is used. Depth and size are bounded, so a recursive grammar ends in an error of code `data`.
 */
import { damaged } from '../pddl/s-expression.ts';
import type { Relation } from '../pddl/relation.ts';
import type { Vocabulary } from '../pddl/vocabulary.ts';
import type { Grammar } from './read-grammar.ts';
import { solve } from './solve.ts';
import type { SolveContext, TextBindings } from './solve.ts';
import { readCondition, readText } from './text.ts';
import type { ConditionAtom, Production, TextExpression, TextSymbol } from './text.ts';

interface CompiledAlternative {
  readonly condition: readonly ConditionAtom[];
  readonly symbols: readonly TextSymbol[];
}

type EachSymbol = Extract<TextSymbol, { kind: 'each' }>;

const maximumDepth = 50;
const maximumExpansions = 100_000;
const maximumLength = 1_000_000;

export interface WriterOptions {
  readonly vocabulary: Vocabulary;
  /** display names by object number */
  readonly names: readonly string[];
  /** names the grammar in errors */
  readonly place: string;
}

/** Writes the texts of one game; rules are read when first needed and kept. */
export class Writer {
  readonly #grammar: Grammar;
  readonly #options: WriterOptions;
  readonly #rules = new Map<string, readonly CompiledAlternative[]>();
  readonly #texts = new Map<string, readonly TextSymbol[]>();
  #expansions = 0;
  #context: SolveContext;

  constructor(grammar: Grammar, options: WriterOptions) {
    this.#grammar = grammar;
    this.#options = options;
    this.#context = this.#contextOf([]);
  }

  /** The text of a rule. */
  rule(name: string, bindings: TextBindings, facts: readonly Relation[]): string {
    this.#context = this.#contextOf(facts);
    return this.#deriveRule(name, bindings, 0);
  }

  /** The text of a template or feedback. */
  text(source: string, bindings: TextBindings, facts: readonly Relation[]): string {
    this.#context = this.#contextOf(facts);
    return this.#deriveSymbols(this.#symbolsOf(source), bindings, 0);
  }

  /** Whether a text depends on nothing that actions change. */
  isFixed(source: string): boolean {
    return this.#areFixed(this.#symbolsOf(source), new Set());
  }

  #contextOf(facts: readonly Relation[]): SolveContext {
    this.#expansions = 0;
    return { vocabulary: this.#options.vocabulary, facts, spend: () => this.#spend('a condition') };
  }

  #spend(what: string): void {
    if (++this.#expansions > maximumExpansions)
      throw damaged(this.#options.place, `${what} does not end (a cycle?)`);
  }

  #symbolsOf(source: string): readonly TextSymbol[] {
    const known = this.#texts.get(source);
    if (known) return known;
    const symbols = readText(source);
    this.#texts.set(source, symbols);
    return symbols;
  }

  #alternativesOf(rule: string): readonly CompiledAlternative[] {
    const known = this.#rules.get(rule);
    if (known) return known;
    const alternatives = this.#grammar.rules.get(rule);
    if (!alternatives) throw damaged(this.#options.place, `there is no rule '${rule}'`);
    const compiled = alternatives.map(({ condition, text }) => {
      return { condition: readCondition(condition), symbols: readText(text) };
    });
    this.#rules.set(rule, compiled);
    return compiled;
  }

  #deriveRule(name: string, bindings: TextBindings, depth: number): string {
    this.#spend(`rule '${name}'`);
    if (depth > maximumDepth) throw damaged(this.#options.place, `rule '${name}' does not end (a cycle?)`);
    for (const { condition, symbols } of this.#alternativesOf(name))
      if (condition.length === 0 || this.#hasSolution(condition, bindings))
        return this.#deriveSymbols(symbols, bindings, depth);
    throw damaged(this.#options.place, `no alternative of rule '${name}' holds`);
  }

  #hasSolution(condition: readonly ConditionAtom[], bindings: TextBindings): boolean {
    return solve(condition, { bindings, context: this.#context, visit: () => true });
  }

  #deriveSymbols(symbols: readonly TextSymbol[], bindings: TextBindings, depth: number): string {
    let text = '';
    for (const symbol of symbols) {
      text += symbol.kind === 'text' ? symbol.text : this.#deriveEach(symbol, bindings, depth);
      if (text.length > maximumLength)
        throw damaged(this.#options.place, `a text is longer than ${maximumLength} characters`);
    }
    return text;
  }

  #deriveEach({ production, condition, asList }: EachSymbol, bindings: TextBindings, depth: number): string {
    if (condition === null) return this.#produce(production, bindings, depth);
    const results: string[] = [];
    const visit = (): boolean => {
      results.push(this.#produce(production, bindings, depth));
      return false;
    };
    solve(condition, { bindings, context: this.#context, visit });
    return asList ? this.#list(results, bindings, depth + 1) : results.join('');
  }

  #list(results: string[], bindings: TextBindings, depth: number): string {
    if (results.length === 0) return this.#deriveRule('list_empty', bindings, depth);
    const last = results.pop()!;
    if (results.length === 0) return last;
    const separator = this.#deriveRule('list_separator', bindings, depth);
    return results.join(separator) + this.#deriveRule('list_last_separator', bindings, depth) + last;
  }

  #produce(production: Production, bindings: TextBindings, depth: number): string {
    if (production.kind === 'rule') return this.#deriveRule(production.rule, bindings, depth + 1);
    return this.#evaluate(production.expression, bindings);
  }

  #evaluate(expression: TextExpression, bindings: TextBindings): string {
    switch (expression.kind) {
      case 'literal':
        return expression.text;
      case 'join':
        return expression.parts.map((part) => this.#evaluate(part, bindings)).join('');
      case 'first': {
        const results = expression.parts.map((part) => this.#evaluate(part, bindings));
        return results.find((text) => text !== '') ?? '';
      }
      case 'property': {
        const { vocabulary, names, place } = this.#options;
        const object = bindings.get(expression.variable);
        if (object === undefined) throw damaged(place, `variable '${expression.variable}' is not bound`);
        if (expression.property === 'indefinite') return 'a';
        return expression.property === 'id' ? vocabulary.ids[object]! : names[object]!;
      }
    }
  }

  #areFixed(symbols: readonly TextSymbol[], visited: Set<string>): boolean {
    return symbols.every((symbol) => {
      if (symbol.kind === 'text') return true;
      if (!this.#isFixedCondition(symbol.condition ?? [])) return false;
      if (symbol.production.kind === 'expression') return true;
      const { rule } = symbol.production;
      if (visited.has(rule)) return true;
      visited.add(rule);
      return this.#alternativesOf(rule).every(
        (each) => this.#isFixedCondition(each.condition) && this.#areFixed(each.symbols, visited),
      );
    });
  }

  #isFixedCondition(condition: readonly ConditionAtom[]): boolean {
    const { relationOf, relations } = this.#options.vocabulary;
    return condition.every(({ predicate }) => !relations[relationOf.get(predicate) ?? -1]?.fluent);
  }
}
