/**
 * A loss as data, so that another process computes the same one without knowing what it is called: the program that `traceLoss`
 * writes down, its numbers, and how answers are pooled. Run over an arithmetic it does what the formula did, in that order.
 */
import type {
  AnswerLoss,
  AnswerTerms,
  Arithmetic,
  Loss,
  TokenTerms,
  ValueLoss,
  ValueTerms,
} from '@emac/core';
import { traceLoss } from './trace.ts';

/** JSON carries it. */
export interface LossProgram {
  /** as `LossTrace` has it */
  readonly form: string;
  readonly constants: readonly number[];
  /** of a loss of answers; null for one of tokens, or of values */
  readonly row: Pick<AnswerLoss, 'answers' | 'pooling'> | null;
}

type Step = readonly [operation: string, ...operands: (number | string)[]];

interface Form {
  readonly over: (Loss | ValueLoss)['over'];
  readonly steps: readonly Step[];
  readonly result: number;
}

/** The loss as data. */
export function programOf(loss: Loss | ValueLoss): LossProgram {
  const { form, constants } = traceLoss(loss);
  if (loss.over !== 'answers') return { form, constants, row: null };
  const { answers, pooling } = loss;
  return { form, constants, row: { answers, pooling } };
}

/** The loss of an answer or its tokens that a program is: equal numbers, by equal steps. */
export function lossOf({ form, constants, row }: LossProgram): Loss {
  const program = JSON.parse(form) as Form;
  if (row === null)
    return {
      over: 'tokens',
      formula: (arithmetic, token) => ran(program, { arithmetic, constants, read: tokenReader(token) }),
    };
  return {
    over: 'answers',
    ...row,
    formula: (arithmetic, terms) => ran(program, { arithmetic, constants, read: answerReader(terms) }),
  };
}

/** The loss of values that a program is. */
export function programmedValueLoss({ form, constants }: LossProgram): ValueLoss {
  const program = JSON.parse(form) as Form;
  return {
    over: 'values',
    formula: (arithmetic, terms) => ran(program, { arithmetic, constants, read: valueReader(terms) }),
  };
}

/** What a step reads of a token, a row or a value, by its operation. */
type Reader<T> = Readonly<Record<string, (operand: number | string) => T>>;

function tokenReader<T>(token: TokenTerms<T>): Reader<T> {
  return {
    token: () => token.logProbability,
    entropy: () => token.entropy,
    constant: (name) => token.constant(name as string),
  };
}

function valueReader<T>(prompt: ValueTerms<T>): Reader<T> {
  return { value: () => prompt.value, constant: (name) => prompt.constant(name as string) };
}

/** Entropies are made anew whenever they are asked for, all answers' at once: as often as the formula asked. */
function answerReader<T>(row: AnswerTerms<T>): Reader<T> {
  let entropies: readonly T[] = [];
  return {
    answer: (which) => row.logProbabilities[which as number]!,
    entropy: (which) => {
      if (which === 0) entropies = row.entropies;
      return entropies[which as number]!;
    },
    constant: (name) => row.constant(name as string),
  };
}

interface Running<T> {
  readonly arithmetic: Arithmetic<T>;
  readonly constants: readonly number[];
  readonly read: Reader<T>;
}

function ran<T>({ steps, result }: Form, { arithmetic, constants, read }: Running<T>): T {
  const values: T[] = [];
  let next = 0;
  for (const [operation, ...operands] of steps) {
    const reads = Object.hasOwn(read, operation) ? read[operation] : undefined;
    if (reads) {
      values.push(reads(operands[0] ?? 0));
      continue;
    }
    const [a, b] = operands.map((place) => values[place as number]!) as [T, T];
    if (operation === 'scale' || operation === 'shift')
      values.push(arithmetic[operation](a, constants[next++]!));
    else values.push(arithmetic[operation as 'add'](a, b));
  }
  return values[result]!;
}
