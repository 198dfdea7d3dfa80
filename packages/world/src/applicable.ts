/**
 * The accepted commands, updated incrementally. An operator is evaluated again only when facts in its precondition have
 * changed; results that depend on one relation alone (in ALFWorld the agent's place: two thirds of all commands) are
 * cached for the whole game.
 */
import type { GameDefinition, GroundAction, PlayableOperator } from './game/game.ts';
import type { TextBindings } from './grammar/solve.ts';
import { run } from './pddl/query.ts';
import type { Bindings, FactBase } from './pddl/query.ts';

export interface Applicable {
  /** sorted by command, no two with the same one */
  readonly actions: readonly GroundAction[];
  /** their commands */
  readonly commands: readonly string[];
}

const maximumRemembered = 4096;

export class ApplicableActions {
  readonly #definition: GameDefinition;
  readonly #base: FactBase;
  readonly #slots: readonly Bindings[];
  /** by operator; null if it must be evaluated again */
  readonly #lists: (readonly GroundAction[] | null)[];
  #found: Applicable | null = null;

  constructor(definition: GameDefinition, base: FactBase) {
    this.#definition = definition;
    this.#base = base;
    this.#slots = definition.playable.map(({ operator }) => new Int32Array(operator.slotCount));
    this.#lists = definition.playable.map(() => null);
  }

  /** Facts of a relation have changed. */
  changed(relation: number): void {
    const readers = this.#definition.readers[relation]!;
    if (readers.length === 0) return;
    for (const index of readers) this.#lists[index] = null;
    this.#found = null;
  }

  /** Any facts may have changed. */
  forget(): void {
    this.#lists.fill(null);
    this.#found = null;
  }

  find(): Applicable {
    if (this.#found) return this.#found;
    const { playable, shared } = this.#definition;
    const own: GroundAction[] = [];
    for (let index = 0; index < playable.length; index++)
      if (!shared.operators.includes(index)) own.push(...(this.#lists[index] ??= this.#collect(index)));
    return (this.#found = merge(this.#sharedActions(), own.sort(byCommand)));
  }

  #sharedActions(): readonly GroundAction[] {
    const { relation, operators, remembered } = this.#definition.shared;
    const tuples = relation < 0 ? [] : this.#base.relations[relation]!.tuples;
    const key = tuples.length === 1 ? tuples[0]!.key : tuples.map((tuple) => tuple.key).join();
    const known = remembered.get(key);
    if (known) return known;
    const actions = operators.flatMap((index) => this.#collect(index)).sort(byCommand);
    if (remembered.size >= maximumRemembered) remembered.clear();
    remembered.set(key, actions);
    return actions;
  }

  #collect(index: number): GroundAction[] {
    const playable = this.#definition.playable[index]!;
    const slots = this.#slots[index]!;
    const { isNoOperation, queries } = playable.operator;
    const actions: GroundAction[] = [];
    this.#base.work = 0;
    const visit = (): boolean => {
      if (!isNoOperation?.(slots)) actions.push(this.#groundAction(playable, slots));
      return false;
    };
    for (const query of queries) run(query, { bindings: slots, base: this.#base, visit });
    return actions;
  }

  #groundAction(playable: PlayableOperator, slots: Bindings): GroundAction {
    const count = playable.operator.parameters.length;
    const key = keyOfSlots(slots, count, this.#definition.names.length);
    const known = playable.actions.get(key);
    if (known) return known;
    const terms = [...slots.subarray(0, count)];
    const bindings = new Map(playable.operator.parameters.map((name, index) => [name, terms[index]!]));
    const command = this.#definition.writer.text(playable.template, bindings, this.#base.relations);
    const action = { playable, terms, bindings, command };
    if (playable.isFixed) playable.actions.set(key, action);
    return action;
  }
}

/** Equal commands have equal effects in practice; the operator declared first counts. */
function byCommand(left: GroundAction, right: GroundAction): number {
  if (left.command !== right.command) return left.command < right.command ? -1 : 1;
  return left.playable.index - right.playable.index;
}

/** Both sorted; of equal commands one is kept. */
function merge(left: readonly GroundAction[], right: readonly GroundAction[]): Applicable {
  const actions: GroundAction[] = [];
  const commands: string[] = [];
  for (let i = 0, j = 0; i < left.length || j < right.length;) {
    const takesLeft = j >= right.length || (i < left.length && byCommand(left[i]!, right[j]!) <= 0);
    const action = takesLeft ? left[i++]! : right[j++]!;
    if (commands.at(-1) === action.command) continue;
    actions.push(action);
    commands.push(action.command);
  }
  return { actions, commands };
}

/** One number for the parameters, or a text if that is too large. */
function keyOfSlots(slots: Bindings, count: number, radix: number): number | string {
  let key = 0;
  for (let slot = 0; slot < count; slot++) key = key * radix + slots[slot]!;
  return key <= Number.MAX_SAFE_INTEGER ? key : slots.subarray(0, count).join();
}

/** The bindings of a text; a copy, because deriving binds more. */
export function bindingsOf({ bindings }: GroundAction): TextBindings {
  return new Map(bindings);
}
