/**
 * Whether the goal is reachable if no true fact ever becomes false: the relaxation the reference uses to refuse games.
 * Only actions that can help the goal count; each runs again when facts it reads were added, until nothing new is
 * added. Conditional effects count as unconditional.
 */
import type { CompiledEffect, Operator } from './operator.ts';
import { holds, run } from './query.ts';
import type { Bindings, FactBase } from './query.ts';
import type { Relation } from './relation.ts';
import { startFacts } from './task.ts';
import type { Task } from './task.ts';

interface Helper {
  readonly operator: Operator;
  readonly adds: readonly CompiledEffect[];
}

/** True when the relaxed task reaches its goal. */
export function isGoalReachable(task: Task): boolean {
  const base: FactBase = { relations: startFacts(task), relaxed: true, work: 0 };
  const bindings = new Int32Array(task.goalSlots);
  const helpers = helpersOf(task);
  let changed: ReadonlySet<number> | null = null;
  for (;;) {
    if (holds(task.goal, bindings, base)) return true;
    const added = new Set<number>();
    for (const helper of helpers)
      if (changed === null || meets(helper.operator.reads, changed) || meets(helper.operator.reads, added))
        for (const relation of addReachable(helper, base)) added.add(relation);
    if (added.size === 0) return false;
    changed = added;
  }
}

/** Operators with the effects that the goal may need, directly or through other operators. */
function helpersOf({ operators, goalReads }: Task): readonly Helper[] {
  const needed = new Set(goalReads);
  let helpers: Helper[] = [];
  for (;;) {
    const found = operators
      .map((operator) => {
        const adds = operator.effects.filter(({ deletes, relation }) => !deletes && needed.has(relation));
        return { operator, adds };
      })
      .filter(({ adds }) => adds.length > 0);
    const before = needed.size;
    for (const { operator } of found) for (const relation of operator.reads) needed.add(relation);
    helpers = found;
    if (needed.size === before) return helpers;
  }
}

function meets(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  for (const value of left) if (right.has(value)) return true;
  return false;
}

/** Adds all facts the operator can add now; returns the grown relations. */
function addReachable({ operator, adds }: Helper, base: FactBase): ReadonlySet<number> {
  const bindings: Bindings = new Int32Array(operator.slotCount);
  const found: { relation: Relation; terms: number[]; index: number }[] = [];
  const seen = adds.map(() => new Set<number>());
  const collect = (effect: CompiledEffect, index: number, at: number): void => {
    const slot = effect.slots[at];
    if (slot)
      for (const candidate of slot.candidates) {
        bindings[slot.slot] = candidate;
        collect(effect, index, at + 1);
      }
    else {
      const relation = base.relations[effect.relation]!;
      let key = 0;
      for (const term of effect.terms) key = relation.extendKey(key, term < 0 ? ~term : bindings[term]!);
      if (relation.has(key) || seen[index]!.has(key)) return;
      seen[index]!.add(key);
      const terms = effect.terms.map((term) => (term < 0 ? ~term : bindings[term]!));
      found.push({ relation, terms, index: effect.relation });
    }
  };
  const visit = (): boolean => {
    for (let i = 0; i < adds.length; i++) collect(adds[i]!, i, 0);
    return false;
  };
  for (const query of operator.queries) run(query, { bindings, base, visit });
  return new Set(found.filter(({ relation, terms }) => relation.add(terms)).map(({ index }) => index));
}
