/**
 * A loss as data, so that another process computes it without knowing its name: the program from `traceLoss`, its numbers, and
 * the pooling of answers. Run over an arithmetic, it repeats the formula's operations in order.
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

/** Can be serialized as JSON. */
export interface LossProgram {
  /** as in `LossTrace` */
  readonly form: string;
  readonly constants: readonly number[];
  /** for a loss of answers; null for tokens or values */
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

/** The loss of answers or tokens from a program: equal numbers, by equal steps. */
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

/** The value loss from a program. */
export function programmedValueLoss({ form, constants }: LossProgram): ValueLoss {
  const program = JSON.parse(form) as Form;
  return {
    over: 'values',
    formula: (arithmetic, terms) => ran(program, { arithmetic, constants, read: valueReader(terms) }),
  };
}

/** Reads a token, a row or a value, by operation name. */
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

/** Entropies of all answers are recomputed on every read: as often as the formula reads them. */
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
