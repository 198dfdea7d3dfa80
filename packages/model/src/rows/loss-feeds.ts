/**
 * Inputs of a loss network beside the packed rows: the formula's numbers, the rows' weights and constants and, for a
 * loss of answers, matrices that pool each answer's tokens.
 */
import { EmacError, type AnswerLoss, type GradientRow, type Loss } from '@emac/core';
import type { Feeds, Value } from '@emac/graph';
import type { LossTrace } from '@emac/losses';
import { lossNames } from './row-graphs.ts';
import type { RowGroup } from './row-runs.ts';

/** A loss as a program (`traceLoss`), and its rows. */
export interface LossRows<Of extends Loss = Loss> {
  readonly loss: Of;
  readonly trace: LossTrace;
  readonly rows: readonly GradientRow[];
}

/** Errors: `internal` if a row has another number of answers than the loss. */
export function checkAnswers({ loss, rows }: Pick<LossRows, 'loss' | 'rows'>): void {
  const wanted = loss.over === 'tokens' ? 1 : loss.answers;
  rows.forEach(({ answers }, row) => {
    if (answers.length !== wanted)
      throw new EmacError(
        'internal',
        `gradient: a row needs as many answers as the loss reads, ${wanted}, row ${row} has ${answers.length}`,
      );
  });
}

/** Feeds of one group of rows, all float32. Errors: `internal` if a row lacks a constant, or some of its numbers. */
export function lossFeeds({ loss, trace, rows }: LossRows, group: RowGroup): Feeds {
  const numbers = trace.constants.map((number, place): [string, Value] => [
    lossNames.number(place),
    { type: 'float32', shape: [], data: Float32Array.of(number) },
  ]);
  const constants = trace.names.map((name): [string, Value] => [
    lossNames.constant(name),
    loss.over === 'tokens' ? tokenConstant(name, rows, group) : answerConstant(name, rows, group),
  ]);
  return {
    ...Object.fromEntries([...numbers, ...constants]),
    ...(loss.over === 'tokens' ? tokenWeights(rows, group) : answerWeights({ loss, trace, rows }, group)),
  };
}

function tokenWeights(rows: readonly GradientRow[], { members, owners }: RowGroup): Feeds {
  return { label_weights: vector(owners.map(({ row }) => rows[members[row]!]!.weight)) };
}

function answerWeights({ loss, trace, rows }: LossRows<AnswerLoss>, group: RowGroup): Feeds {
  const pooled = Array.from({ length: loss.answers }, (_, answer): [string, Value][] => [
    [lossNames.pooling(answer), poolingMatrix(group, answer, factorsOf(loss, { rows, group, answer }))],
    ...(trace.readsEntropy
      ? [[lossNames.entropyPooling(answer), poolingMatrix(group, answer, shares)] as [string, Value]]
      : []),
  ]);
  return {
    ...Object.fromEntries(pooled.flat()),
    row_weights: column(group, (row) => rows[row]!.weight),
  };
}

/** A token's factor in its answer's pool, by the row's place in the group, the token's in the answer, and the number of tokens. */
type Factor = (member: number, token: number, count: number) => number;

const shares: Factor = (_member, _token, count) => 1 / count;

interface PooledAnswer {
  readonly rows: readonly GradientRow[];
  readonly group: RowGroup;
  readonly answer: number;
}

function factorsOf({ pooling }: AnswerLoss, { rows, group, answer }: PooledAnswer): Factor {
  if (pooling === 'mean') return shares;
  if (pooling === 'sum') return () => 1;
  const given = tokenNumbers(pooling.factors, rows, { group, answer });
  return (member, token) => given[member]![token]!;
}

/** [R, L]: factors at the labels of each row's answer. */
function poolingMatrix({ members, owners }: RowGroup, answer: number, factor: Factor): Value {
  const counts = members.map(() => 0);
  const labels = owners.flatMap(({ row, response }, label) => (response === answer ? [{ row, label }] : []));
  for (const { row } of labels) counts[row]!++;
  const next = members.map(() => 0);
  const data = new Float32Array(members.length * owners.length);
  for (const { row, label } of labels)
    data[row * owners.length + label] = factor(row, next[row]!++, counts[row]!);
  return { type: 'float32', shape: [members.length, owners.length], data };
}

function answerConstant(name: string, rows: readonly GradientRow[], group: RowGroup): Value {
  return column(group, (row) => {
    const given = constantOf(rows, row, name);
    if (typeof given === 'number') return given;
    throw new EmacError(
      'internal',
      `gradient: constant ${name} of a loss of answers must be one number, row ${row} gives a list of ${given.length}`,
    );
  });
}

/** One number for the row, or one for each of its tokens, in order. */
function tokenConstant(name: string, rows: readonly GradientRow[], group: RowGroup): Value {
  const given = tokenNumbers(name, rows, { group, answer: 0 });
  const next = group.members.map(() => 0);
  return vector(group.owners.map(({ row }) => given[row]![next[row]!++]!));
}

/** For each row of the group, its numbers for the tokens of an answer. Errors: `internal` for another count than the tokens'. */
function tokenNumbers(
  name: string,
  rows: readonly GradientRow[],
  { group: { members, owners }, answer }: { readonly group: RowGroup; readonly answer: number },
): readonly ArrayLike<number>[] {
  const counts = members.map(() => 0);
  for (const { row, response } of owners) if (response === answer) counts[row]!++;
  return members.map((row, member) => {
    const given = constantOf(rows, row, name);
    const length = counts[member]!;
    if (typeof given === 'number') return new Array<number>(length).fill(given);
    if (given.length === length) return given;
    throw new EmacError(
      'internal',
      `gradient: constant ${name} must be one number or one for each token, row ${row} has ${length} tokens and gives ${given.length}`,
    );
  });
}

function constantOf(rows: readonly GradientRow[], row: number, name: string): number | ArrayLike<number> {
  const given = rows[row]!.constants;
  if (given && Object.hasOwn(given, name)) return given[name]!;
  throw new EmacError(
    'internal',
    `gradient: the loss reads ${name} of every row, row ${row} gives ${Object.keys(given ?? {}).join(', ') || 'no constants'}`,
  );
}

function vector(values: readonly number[]): Value {
  return { type: 'float32', shape: [values.length], data: Float32Array.from(values) };
}

/** One number for each row of a group. */
function column({ members }: RowGroup, value: (row: number) => number): Value {
  return { type: 'float32', shape: [members.length, 1], data: Float32Array.from(members, value) };
}
