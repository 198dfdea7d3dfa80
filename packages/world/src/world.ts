/**
 * A game being played: reset, step, snapshots. A command must equal an admissible one exactly (outer white
 * space aside); anything else is answered `Nothing happens.` and changes nothing. There is no step limit
 * here, and a won game can be played on. Follows the loop of TextWorld's PDDL environment.
 */
import { EmacError } from '@emac/core';
import type { VisibleState } from './frame/visible-state.ts';
import type { Game, GroundAction, PlayableOperator } from './game/game.ts';
import type { TextBindings } from './grammar/solve.ts';
import { changesOf } from './pddl/operator.ts';
import { holds, run } from './pddl/query.ts';
import type { Bindings, FactBase } from './pddl/query.ts';
import type { Relation } from './pddl/relation.ts';
import { startFacts } from './pddl/task.ts';
import { sceneOfWorld } from './plan/scene-of-world.ts';
import { shortestPlan } from './plan/shortest-plan.ts';
import { visibleState } from './visible.ts';

export interface State {
  readonly observation: string;
  /** every command that would be accepted now, sorted by code point */
  readonly admissible: readonly string[];
  /** 1 when won, else 0 */
  readonly score: number;
  /** equal to `won`: the world has no step limit */
  readonly done: boolean;
  readonly won: boolean;
}

/** The facts that can change, as plain data that survives JSON. Fits worlds of the same game only. */
export interface Snapshot {
  readonly gameId: string;
  /** keys of the true facts, by relation name */
  readonly facts: Readonly<Record<string, readonly number[]>>;
}

export const refusal = 'Nothing happens.';

export class World {
  readonly game: Game;
  readonly #relations: Relation[];
  readonly #base: FactBase;
  readonly #slots: ReadonlyMap<PlayableOperator, Bindings>;
  readonly #goalSlots: Bindings;
  /** filled when asked for, emptied when the state changes */
  #commands: ReadonlyMap<string, GroundAction> | null = null;
  #admissible: readonly string[] | null = null;
  #won: boolean | null = null;

  /** A world at the start of the game. */
  constructor(game: Game) {
    const { task, playable } = game.definition;
    this.game = game;
    this.#relations = startFacts(task);
    this.#base = { relations: this.#relations, relaxed: false, work: 0 };
    this.#slots = new Map(playable.map((each) => [each, new Int32Array(each.operator.slotCount)]));
    this.#goalSlots = new Int32Array(task.goalSlots);
  }

  /** Back to the start; the observation is the introduction with the task. */
  reset(): State {
    const { task, writer } = this.game.definition;
    for (const [index, relation] of startFacts(task).entries()) this.#relations[index] = relation;
    this.#forget();
    return this.#state(writer.rule('intro', new Map(), this.#relations));
  }

  /** Carries out a command, or refuses it. */
  step(command: string): State {
    return this.#state(this.perform(command) ?? refusal);
  }

  /** Carries out a command and returns its feedback; null (and no change) where it is not admissible. */
  perform(command: string): string | null {
    const action = this.#actions().get(command.trim());
    if (!action) return null;
    this.#apply(action);
    return this.#feedback(action);
  }

  get admissible(): readonly string[] {
    return (this.#admissible ??= [...this.#actions().keys()].sort());
  }

  get won(): boolean {
    this.#base.work = 0;
    return (this.#won ??= holds(this.game.definition.task.goal, this.#goalSlots, this.#base));
  }

  /** What can change, as plain data. */
  snapshot(): Snapshot {
    const { relations } = this.game.definition.task.vocabulary;
    const facts: Record<string, readonly number[]> = {};
    for (const [index, { name, fluent }] of relations.entries()) {
      const { tuples } = this.#relations[index]!;
      if (fluent && tuples.length > 0) facts[name] = tuples.map(({ key }) => key);
    }
    return { gameId: this.game.id, facts };
  }

  /** Back to where the snapshot was taken; one of another game is a `data` error. */
  restore(snapshot: Snapshot): void {
    const { ids, relations, relationOf } = this.game.definition.task.vocabulary;
    const place = `snapshot of ${this.game.id}`;
    if (snapshot.gameId !== this.game.id)
      throw new EmacError('data', `${place}: was taken in the game ${snapshot.gameId}`);
    for (const [name, keys] of Object.entries(snapshot.facts)) {
      const info = relations[relationOf.get(name) ?? -1];
      if (
        !info?.fluent ||
        !keys.every((key) => Number.isInteger(key) && key >= 0 && key < ids.length ** info.arity)
      )
        throw new EmacError('data', `${place}: facts of '${name}' do not fit this game`);
    }
    for (const [index, { name, fluent }] of relations.entries()) {
      if (!fluent) continue;
      const relation = this.#relations[index]!;
      relation.clear();
      for (const key of snapshot.facts[name] ?? []) relation.add(relation.termsOf(key));
    }
    this.#forget();
  }

  /** All true facts with display names, e.g. `holds(agent1 , apple 1)`; facts made false as `not_…`. */
  facts(): string[] {
    const { names } = this.game.definition;
    return this.#relations.flatMap(({ name, tuples }) =>
      tuples.map(({ terms }) => `${name}(${terms.map((object) => names[object]).join(', ')})`),
    );
  }

  /** What the agent can see now. */
  visible(): VisibleState {
    return visibleState(this.game.definition, this.#relations);
  }

  /**
   * The commands of a shortest win from here, with full knowledge of the facts; empty when the game is won. Null
   * where nothing wins any more, or the goal has a shape that ALFWorld's six task types do not have.
   */
  shortestPlan(): readonly string[] | null {
    if (this.won) return [];
    const scene = sceneOfWorld(this.game.definition, this.#relations);
    return scene && shortestPlan(scene);
  }

  #state(observation: string): State {
    const { admissible, won } = this;
    return { observation, admissible, score: won ? 1 : 0, done: won, won };
  }

  #forget(): void {
    this.#commands = null;
    this.#admissible = null;
    this.#won = null;
  }

  #actions(): ReadonlyMap<string, GroundAction> {
    if (this.#commands) return this.#commands;
    const commands = new Map<string, GroundAction>();
    for (const playable of this.game.definition.playable) this.#collect(playable, commands);
    return (this.#commands = commands);
  }

  /** Adds the operator's applicable actions by command; of equal commands the first counts. */
  #collect(playable: PlayableOperator, commands: Map<string, GroundAction>): void {
    const { operator } = playable;
    const slots = this.#slots.get(playable)!;
    this.#base.work = 0;
    for (const query of operator.queries)
      run(query, slots, this.#base, () => {
        if (operator.isNoOperation?.(slots)) return false;
        const action = this.#groundAction(playable, slots);
        const command = action.command ?? this.#commandOf(action);
        if (!commands.has(command)) commands.set(command, action);
        return false;
      });
  }

  #groundAction(playable: PlayableOperator, slots: Bindings): GroundAction {
    const count = playable.operator.parameters.length;
    const key = keyOfSlots(slots, count, this.game.definition.names.length);
    const known = playable.actions.get(key);
    if (known) return known;
    const action = { playable, terms: [...slots.subarray(0, count)], command: null };
    const made = playable.isFixed ? { ...action, command: this.#commandOf(action) } : action;
    playable.actions.set(key, made);
    return made;
  }

  #commandOf(action: GroundAction): string {
    return this.game.definition.writer.text(action.playable.template, bindingsOf(action), this.#relations);
  }

  #feedback(action: GroundAction): string {
    return this.game.definition.writer.text(action.playable.feedback, bindingsOf(action), this.#relations);
  }

  #apply({ playable, terms }: GroundAction): void {
    const { vocabulary } = this.game.definition.task;
    const slots = this.#slots.get(playable)!;
    slots.set(terms);
    const changes = changesOf(playable.operator.effects, slots, this.#base);
    for (const { deletes, relation, terms: fact } of changes)
      if (deletes) {
        this.#relations[relation]!.remove(fact);
        this.#relations[vocabulary.relations[relation]!.negation]!.add(fact);
      }
    for (const { deletes, relation, terms: fact } of changes)
      if (!deletes) {
        this.#relations[relation]!.add(fact);
        this.#relations[vocabulary.relations[relation]!.negation]!.remove(fact);
      }
    this.#forget();
  }
}

/** One number for the parameters, or a text where a number could not hold them. */
function keyOfSlots(slots: Bindings, count: number, radix: number): number | string {
  let key = 0;
  for (let slot = 0; slot < count; slot++) key = key * radix + slots[slot]!;
  return key <= Number.MAX_SAFE_INTEGER ? key : slots.subarray(0, count).join();
}

function bindingsOf({ playable, terms }: GroundAction): TextBindings {
  return new Map(playable.operator.parameters.map((name, index) => [name, terms[index]!]));
}
