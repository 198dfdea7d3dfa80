/**
 * A loaded game: everything its file defines, compiled once and shared by all worlds that play it. Domain,
 * grammar and problem are always those embedded in the file.
 */
import { EmacError, messageOf } from '@emac/core';
import { Writer } from '../grammar/derive.ts';
import { readGrammar } from '../grammar/read-grammar.ts';
import { readDomain } from '../pddl/domain.ts';
import type { Domain } from '../pddl/domain.ts';
import type { Operator } from '../pddl/operator.ts';
import { readProblem } from '../pddl/problem.ts';
import { isGoalReachable } from '../pddl/reachable.ts';
import { damaged } from '../pddl/s-expression.ts';
import { makeTask } from '../pddl/task.ts';
import type { Task } from '../pddl/task.ts';
import { gameIdOf, taskTypeOf } from './game-id.ts';
import { nameObjects } from './names.ts';
import type { TaskType } from '../task-type.ts';

export interface Game {
  /** `<task>/<trial>`, plus `@<file name>` unless that is `game.tw-pddl` */
  readonly id: string;
  readonly taskType: TaskType | null;
  readonly path?: string;
  /** the file's statement; null without one */
  readonly solvable: boolean | null;
  /** winning commands, if the file has them */
  readonly walkthrough?: readonly string[];
  readonly definition: GameDefinition;
}

/** The compiled file, for the engine. */
export interface GameDefinition {
  readonly task: Task;
  readonly writer: Writer;
  /** display names by object number */
  readonly names: readonly string[];
  readonly classes: readonly string[];
  readonly playable: readonly PlayableOperator[];
  readonly shared: SharedOperators;
  /** by relation: the operators (indexes into `playable`) that read it in preconditions or texts */
  readonly readers: readonly (readonly number[])[];
}

/** An operator the grammar can express, with its ground commands met so far. */
export interface PlayableOperator {
  /** its place among the playable ones */
  readonly index: number;
  readonly operator: Operator;
  readonly template: string;
  readonly feedback: string;
  /** the command depends on the parameters alone */
  readonly isFixed: boolean;
  /** by parameters; empty unless fixed */
  readonly actions: Map<number | string, GroundAction>;
}

export interface GroundAction {
  readonly playable: PlayableOperator;
  readonly terms: readonly number[];
  /** the terms by parameter name */
  readonly bindings: ReadonlyMap<string, number>;
  readonly command: string;
}

/** Operators whose commands depend on one relation only. */
export interface SharedOperators {
  /** −1: none */
  readonly relation: number;
  /** indexes into `playable` */
  readonly operators: readonly number[];
  /** their actions by the relation's fact keys, as met so far */
  readonly remembered: Map<number | string, readonly GroundAction[]>;
}

export interface GameOrigin {
  readonly path?: string;
  /** default: from the path, else the problem's name */
  readonly id?: string;
}

const texts = ['pddl_domain', 'grammar', 'pddl_problem'] as const;

/**
 * Compiles the content of a game file, as text or parsed. Errors are of code `data` and name the file:
 * not JSON, wrong types, damaged PDDL or grammar, duplicate objects, a goal out of reach.
 */
export function parseGame(content: string | object, origin: GameOrigin = {}): Game {
  const place = origin.path ?? origin.id ?? 'game';
  const { domainText, grammarText, problemText, solvable, walkthrough } = readParts(content, place);
  const problem = readProblem(problemText, `${place}: pddl_problem`);
  const task = makeTask(domainOf(domainText, `${place}: pddl_domain`), problem, place);
  const id = origin.id ?? (origin.path === undefined ? problem.name : gameIdOf(origin.path));
  const definition = define(task, grammarText, `${place}: grammar`);
  if (!isGoalReachable(task))
    throw damaged(place, 'unsolvable game: no sequence of actions can reach its goal');
  return {
    id,
    taskType: taskTypeOf(id),
    ...(origin.path !== undefined && { path: origin.path }),
    solvable,
    ...(walkthrough && { walkthrough }),
    definition,
  };
}

export interface GameParts {
  readonly domainText: string;
  readonly grammarText: string;
  readonly problemText: string;
  readonly solvable: boolean | null;
  readonly walkthrough: readonly string[] | null;
}

/** The parts of a game file, not compiled. Errors of code `data` name `place`: not JSON, wrong types. */
export function readParts(content: string | object, place: string): GameParts {
  const file = readFile(content, place);
  const [domainText, grammarText, problemText] = texts.map((key) => {
    if (typeof file[key] !== 'string')
      throw damaged(place, `'${key}' must be text, got ${kindOf(file[key])}`);
    return file[key];
  }) as [string, string, string];
  const solvable = file['solvable'] ?? null;
  if (solvable !== null && typeof solvable !== 'boolean')
    throw damaged(place, `'solvable' must be true, false or null, got ${kindOf(solvable)}`);
  const walkthrough = readWalkthrough(file['walkthrough'] ?? null, place);
  return { domainText, grammarText, problemText, solvable, walkthrough };
}

function readFile(content: string | object, place: string): Record<string, unknown> {
  let parsed: unknown = content;
  if (typeof content === 'string')
    try {
      parsed = JSON.parse(content);
    } catch (error) {
      throw new EmacError('data', `${place}: not JSON (cut off?): ${messageOf(error)}`, { cause: error });
    }
  if (kindOf(parsed) !== 'object') throw damaged(place, `must be a JSON object, got ${kindOf(parsed)}`);
  return parsed as Record<string, unknown>;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}

function readWalkthrough(value: unknown, place: string): readonly string[] | null {
  if (value === null) return null;
  if (!Array.isArray(value) || value.some((command) => typeof command !== 'string'))
    throw damaged(place, "'walkthrough' must be a list of commands");
  return value as string[];
}

/** All games of a data set share one domain: the last one read is kept. */
let lastDomain: { readonly text: string; readonly domain: Domain } | undefined;

function domainOf(text: string, place: string): Domain {
  if (lastDomain?.text !== text) lastDomain = { text, domain: readDomain(text, place) };
  return lastDomain.domain;
}

function define(task: Task, grammarText: string, place: string): GameDefinition {
  const grammar = readGrammar(grammarText, place);
  const { names, classes } = nameObjects(task);
  const writer = new Writer(grammar, { vocabulary: task.vocabulary, names, place });
  const spoken = task.operators.flatMap((operator) => {
    const action = grammar.actions.get(operator.name);
    return action ? [{ operator, ...action }] : [];
  });
  const playable = spoken.map((each, index): PlayableOperator => {
    return { ...each, index, isFixed: writer.isFixed(each.template), actions: new Map() };
  });
  const readers = task.vocabulary.relations.map((_, relation) =>
    playable.flatMap(({ operator, isFixed, index }) =>
      !isFixed || operator.reads.has(relation) ? [index] : [],
    ),
  );
  return {
    task,
    writer,
    names,
    classes,
    playable,
    readers,
    shared: sharedOperators(task, playable, readers),
  };
}

/** Of the relations changed by actions, the one read by most operators, and the operators that read no other. */
function sharedOperators(
  { vocabulary }: Task,
  playable: readonly PlayableOperator[],
  readers: readonly (readonly number[])[],
): SharedOperators {
  let relation = -1;
  vocabulary.relations.forEach(({ fluent }, index) => {
    if (fluent && readers[index]!.length > (readers[relation]?.length ?? 0)) relation = index;
  });
  const readsOthers = ({ operator }: PlayableOperator): boolean =>
    [...operator.reads].some((each) => each !== relation && vocabulary.relations[each]!.fluent);
  const operators = playable.flatMap((each) => (each.isFixed && !readsOthers(each) ? [each.index] : []));
  return { relation, operators, remembered: new Map() };
}
