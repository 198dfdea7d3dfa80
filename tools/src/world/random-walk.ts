/**
 * Commands for a walk that meets rare situations. A verb is drawn first, then a command of it, so the few "heat" and
 * "slice" are as frequent as the many "go to"; some commands are ones the world must refuse.
 */
import type { Random } from '@emac/core';

const nonsense = [
  '',
  'dance',
  'Look',
  'look.',
  'go to nowhere 1',
  'go  to shelf 1',
  'take everything',
  'put apple 1 in/on fridge 1',
  'move apple 1 to fridge 1',
  'think: what now?',
  'examine',
  'HELP',
];

/** Looking changes little, so these are drawn less often than commands that change the state. */
const quiet = new Set(['look', 'inventory', 'help', 'examine']);

/** The next command of a walk, given every command the world would accept. */
export function walkCommand(admissible: readonly string[], random: Random): string {
  const chance = random.uniform();
  if (chance < 0.04) return random.pick(nonsense);
  if (chance < 0.06) return ` ${random.pick(admissible)}\t`;
  if (chance < 0.08) return random.pick(admissible).replace(/\d+$/, '99');
  const byVerb = new Map<string, string[]>();
  for (const command of admissible) {
    const verb = command.split(' ', 1)[0]!;
    const list = byVerb.get(verb);
    if (list) list.push(command);
    else byVerb.set(verb, [command]);
  }
  const verbs = [...byVerb.keys()];
  const verb = verbs[random.weightedIndex(verbs.map((each) => (quiet.has(each) ? 0.35 : 1)))]!;
  return random.pick(byVerb.get(verb)!);
}
