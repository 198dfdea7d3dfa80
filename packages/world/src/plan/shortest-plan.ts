/**
 * The shortest way to win from any state, in commands. All places are known, so no state search is needed: every
 * candidate list of errands is counted in commands, and the shortest wins (the first among equals). Needless commands
 * are skipped: no `go to` to the present place, which the world answers with "Nothing happens.", and no second opening.
 * Heating, cooling, cleaning and using a lamp need nothing open.
 */
import { candidates } from './errands.ts';
import type { Errand } from './errands.ts';
import type { Scene, ScenePlace } from './scene.ts';

/** The commands of a shortest win of an unwon game; null if nothing wins. */
export function shortestPlan(scene: Scene): string[] | null {
  let best: readonly Errand[] | null = null;
  let least = Infinity;
  for (const errands of candidates(scene)) {
    const length = lengthOf(errands, scene, least);
    if (length < least) [best, least] = [errands, length];
  }
  return best && commandsFor(best, scene);
}

/** Number of commands of the errands; at least `limit` unless it is less. */
function lengthOf(errands: readonly Errand[], { location: start }: Scene, limit: number): number {
  let length = 0;
  let location = start;
  for (let index = 0; index < errands.length && length < limit; index++) {
    const errand = errands[index]!;
    if (errand.at.location !== location) length++;
    location = errand.at.location;
    if (mustOpen(errands, index)) length++;
    if (errand.do !== 'stand') length++;
  }
  return length;
}

/** Whether an errand reaches into a closed receptacle that none before it opened. */
function mustOpen(errands: readonly Errand[], index: number): boolean {
  const { at } = errands[index]!;
  if (!at.closed || !reachesIn(errands[index]!)) return false;
  for (let before = 0; before < index; before++)
    if (errands[before]!.at === at && reachesIn(errands[before]!)) return false;
  return true;
}

function reachesIn(errand: Errand): boolean {
  return errand.do === 'take' || errand.do === 'place';
}

function commandsFor(errands: readonly Errand[], scene: Scene): string[] {
  let location = scene.location;
  return errands.flatMap((errand, index) => {
    const { at } = errand;
    const commands: string[] = [];
    if (at.location !== location) commands.push(`go to ${at.name}`);
    location = at.location;
    if (mustOpen(errands, index)) commands.push(`open ${at.name}`);
    if (errand.do !== 'stand') commands.push(commandOf(errand, at, scene));
    return commands;
  });
}

function commandOf({ do: verb, object }: Errand, at: ScenePlace, { dialect }: Scene): string {
  switch (verb) {
    case 'take':
      return `take ${object.name} from ${at.name}`;
    case 'place':
      return dialect === 'move' ? `move ${object.name} to ${at.name}` : `put ${object.name} in/on ${at.name}`;
    case 'use':
      return `use ${object.name}`;
    default:
      return `${verb} ${object.name} with ${at.name}`;
  }
}
