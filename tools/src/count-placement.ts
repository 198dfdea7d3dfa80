/**
 * Writes the world package's `expert/placement.ts`: for each object class, the share of receptacles of each class that
 * hold such an object at the start. It counts games of a folder in which some receptacle holds the class. Give it the
 * training games only.
 *
 *   node tools/dist/count-placement.js TRAIN_FOLDER packages/world/src/expert/placement.ts
 */
import { writeFileSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { findGames, loadGame, World } from '@emac/world';

type Counts = Map<string, Map<string, number>>;

function increase(counts: Counts, object: string, receptacle: string): void {
  const row = counts.get(object) ?? new Map<string, number>();
  counts.set(object, row.set(receptacle, (row.get(receptacle) ?? 0) + 1));
}

function classOf(name: string): string {
  return name.slice(0, name.lastIndexOf(' '));
}

/** Adds one game: receptacles that hold an object class, and receptacles seen beside that class at all. */
function countGame(facts: readonly string[], holding: Counts, present: Counts): void {
  const pairs = facts.map((fact) => /^(\w+)\((.+), (.+)\)$/.exec(fact));
  const receptacles = pairs.flatMap((pair) => (pair?.[1] === 'receptacleatlocation' ? [pair[2]!] : []));
  const contents = pairs.flatMap((pair) => {
    return pair?.[1] === 'inreceptacle' ? [{ object: classOf(pair[2]!), receptacle: pair[3]! }] : [];
  });
  const held = new Set(contents.map(({ object, receptacle }) => `${object}|${receptacle}`));
  for (const key of held) {
    const [object, receptacle] = key.split('|') as [string, string];
    increase(holding, object, classOf(receptacle));
  }
  for (const object of new Set(contents.map((each) => each.object)))
    for (const receptacle of receptacles) increase(present, object, classOf(receptacle));
}

function moduleText(holding: Counts, present: Counts): string {
  const rows = [...holding].sort(byName).map(([object, counts]) => {
    const cells = [...counts].sort(byName).map(([receptacle, count]) => {
      const share = count / present.get(object)!.get(receptacle)!;
      return `${receptacle}: ${Number(share.toPrecision(2))}`;
    });
    return `  ${object}: { ${cells.join(', ')} },`;
  });
  return [
    '/**',
    ' * Where things are: for each object class and receptacle class the share of such receptacles that hold at',
    ' * least one such object at the start of a game, over games where the object occurs. Counted from the',
    ' * training split of ALFWorld (MIT licence) by `tools/src/count-placement.ts`; two significant digits.',
    ' */',
    'export const placement: Readonly<Record<string, Readonly<Record<string, number>>>> = {',
    ...rows,
    '};',
    '',
  ].join('\n');
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const [folder, output] = process.argv.slice(2);
if (folder === undefined || output === undefined)
  throw new EmacError('usage', 'count-placement: needs the folder of training games and the file to write');
const holding: Counts = new Map();
const present: Counts = new Map();
for (const path of findGames(folder).games) countGame(new World(loadGame(path)).facts(), holding, present);
writeFileSync(output, moduleText(holding, present));
