/**
 * A game being played: reset, step, snapshots. A command must equal an admissible one exactly (outer white
 * space aside); anything else is answered `Nothing happens.` and changes nothing. There is no step limit
 * here, and a won game can be played on. Follows the loop of TextWorld's PDDL environment.
 */
import { EmacError } from '@emac/core';
import { ApplicableActions, bindingsOf } from './applicable.ts';
import type { VisibleState } from './frame/visible-state.ts';
import type { Game, GroundAction, PlayableOperator } from './game/game.ts';
import { changesOf } from './pddl/operator.ts';
import { holds } from './pddl/query.ts';
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
  readonly #applicable: ApplicableActions;
  readonly #slots: ReadonlyMap<PlayableOperator, Bindings>;
  readonly #goalSlots: Bindings;
  /** null: not known since facts that the goal reads have changed */
  #won: boolean | null = null;

  /** A world at the start of the game. */
  constructor(game: Game) {
    const { task, playable } = game.definition;
    this.game = game;
    this.#relations = startFacts(task);
    this.#base = { relations: this.#relations, relaxed: false, work: 0 };
    this.#applicable = new ApplicableActions(game.definition, this.#base);
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

  /** Carries out a command and returns its feedback; null (and no change) if it is not admissible. */
  perform(command: string): string | null {
    const { actions, commands } = this.#applicable.find();
    const action = actions[indexOf(commands, command.trim())];
    if (!action) return null;
    this.#apply(action);
    return this.game.definition.writer.text(action.playable.feedback, bindingsOf(action), this.#relations);
  }

  get admissible(): readonly string[] {
    return this.#applicable.find().commands;
  }

  get won(): boolean {
    this.#base.work = 0;
    return (this.#won ??= holds(this.game.definition.task.goal, this.#goalSlots, this.#base));
  }

  /** The mutable state, as plain data. */
  snapshot(): Snapshot {
    const { relations } = this.game.definition.task.vocabulary;
    const facts: Record<string, readonly number[]> = {};
    for (const [index, { name, fluent }] of relations.entries()) {
      const { tuples } = this.#relations[index]!;
      if (fluent && tuples.length > 0) facts[name] = tuples.map(({ key }) => key);
    }
    return { gameId: this.game.id, facts };
  }

  /** Restores a snapshot's state; another game's is a `data` error. */
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

  /** The agent's current view. */
  visible(): VisibleState {
    return visibleState(this.game.definition, this.#relations);
  }

  /**
   * The commands of a shortest win from here, with full knowledge of the facts; empty when the game is won. Null if
   * nothing wins any more, or the goal has no form of ALFWorld's six task types.
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
    this.#applicable.forget();
    this.#won = null;
  }

  #apply({ playable, terms }: GroundAction): void {
    const { vocabulary } = this.game.definition.task;
    const slots = this.#slots.get(playable)!;
    slots.set(terms);
    const changes = changesOf(playable.operator.effects, slots, this.#base);
    for (const { deletes, relation, terms: fact } of changes)
      if (deletes) this.#change(relation, vocabulary.relations[relation]!.negation, fact);
    for (const { deletes, relation, terms: fact } of changes)
      if (!deletes) this.#change(vocabulary.relations[relation]!.negation, relation, fact);
  }

  /** Moves a fact from one relation to another, whether or not it was there. */
  #change(from: number, to: number, fact: readonly number[]): void {
    const { goalReads } = this.game.definition.task;
    const removed = this.#relations[from]!.remove(fact);
    const added = this.#relations[to]!.add(fact);
    if (removed) this.#applicable.changed(from);
    if (added) this.#applicable.changed(to);
    if ((removed && goalReads.has(from)) || (added && goalReads.has(to))) this.#won = null;
  }
}

/** Index of a text in a sorted list; −1 if missing. */
function indexOf(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = sorted[middle]!;
    if (found === text) return middle;
    if (found < text) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
