/**
 * Counts how real games furnish their rooms, and writes small rounded tables for the game generator: how often and in
 * how many copies each object class occurs, on which receptacle classes it lies, and which (object, target) pairs each
 * task type uses. The output has only counts, never a game.
 *
 *   node tools/dist/count-rooms.js <train folder> <output folder>
 *
 * The train folder holds `<task>/<trial>/game.tw-pddl` as in ALFWorld's data. Count the train split only, so that
 * evaluation rooms do not shape the generated games.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Counts = Map<string, number>;
type Table = Map<string, Counts>;

interface Tally {
  readonly games: Counts;
  /** 'kitchen Apple' → copies → games */
  readonly copies: Table;
  /** 'kitchen Apple' → receptacle class → copies seen there */
  readonly places: Table;
  /** 'pick_two_obj_and_place kitchen Apple' → target class → games */
  readonly tasks: Table;
}

const kindOfScene = (scene: number): string =>
  scene < 100 ? 'kitchen' : scene < 300 ? 'livingroom' : scene < 400 ? 'bedroom' : 'bathroom';

function count(counts: Counts, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function countIn(table: Table, row: string, key: string): void {
  const counts = table.get(row) ?? new Map<string, number>();
  table.set(row, counts);
  count(counts, key);
}

/** The pairs (a, b) of every two-place initial fact with this predicate. */
function pairsOf(problem: string, predicate: string): [string, string][] {
  return [...problem.matchAll(new RegExp(`\\(${predicate} (\\S+) ([^\\s)]+)\\)`, 'g'))].map((m) => [
    m[1]!,
    m[2]!,
  ]);
}

function tallyGame(tally: Tally, task: string, problem: string): void {
  const [type, object, , target, scene] = task.split('-') as [string, string, string, string, string];
  const kind = kindOfScene(Number(scene));
  const initial = problem.slice(problem.indexOf('(:init'), problem.indexOf('(:goal'));
  const receptacleClass = new Map(pairsOf(initial, 'receptacleType').map(([id, t]) => [id, t.slice(0, -4)]));
  const place = new Map(
    pairsOf(initial, 'inReceptacle').map(([id, r]) => [id, receptacleClass.get(r) ?? 'none']),
  );
  const copies: Counts = new Map();
  for (const [id, typed] of pairsOf(initial, 'objectType')) {
    const name = typed.slice(0, -4);
    count(copies, name);
    countIn(tally.places, `${kind} ${name}`, place.get(id) ?? 'none');
  }
  count(tally.games, kind);
  for (const [name, number] of copies) countIn(tally.copies, `${kind} ${name}`, String(Math.min(4, number)));
  countIn(tally.tasks, `${type} ${kind} ${object}`, target);
}

function tallyFolder(folder: string): Tally {
  const tally: Tally = { games: new Map(), copies: new Map(), places: new Map(), tasks: new Map() };
  for (const task of readdirSync(folder).sort())
    for (const trial of readdirSync(join(folder, task)).sort()) {
      const file = readFileSync(join(folder, task, trial, 'game.tw-pddl'), 'utf8');
      tallyGame(tally, task, (JSON.parse(file) as { pddl_problem: string }).pddl_problem);
    }
  return tally;
}

const total = (counts: Counts): number => [...counts.values()].reduce((sum, value) => sum + value, 0);

/** 'Desk 35 Shelf 22': shares in percent, largest first; shares under 1 % are dropped. */
function shares(counts: Counts): string {
  return [...counts]
    .map(([name, value]) => [name, Math.round((100 * value) / total(counts))] as const)
    .filter(([, percent]) => percent >= 1)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([name, percent]) => `${name} ${percent}`)
    .join(' ');
}

/** Rows 'prefix name' of a table, grouped by prefix and sorted. */
function grouped(table: Table): Map<string, [string, Counts][]> {
  const groups = new Map<string, [string, Counts][]>();
  for (const [row, counts] of [...table].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const cut = row.lastIndexOf(' ');
    const group = row.slice(0, cut);
    groups.set(group, [...(groups.get(group) ?? []), [row.slice(cut + 1), counts]]);
  }
  return groups;
}

function moduleText(header: string, name: string, groups: Map<string, string[]>): string {
  const body = [...groups].map(
    ([group, rows]) => `  ${group}: {\n${rows.map((r) => `    ${r},\n`).join('')}  },\n`,
  );
  return `/**\n${header}\n */\nexport const ${name} = {\n${body.join('')}} as const;\n`;
}

function copiesModule(tally: Tally): string {
  const groups = new Map<string, string[]>();
  for (const [kind, rows] of grouped(tally.copies)) {
    const lines = rows.map(([name, counts]) => {
      const there = Math.round((100 * total(counts)) / tally.games.get(kind)!);
      const percent = ['1', '2', '3', '4'].map((n) =>
        Math.round((100 * (counts.get(n) ?? 0)) / total(counts)),
      );
      return there < 1 ? null : `${name}: [${[there, ...percent].join(', ')}]`;
    });
    groups.set(
      kind,
      lines.filter((line) => line !== null),
    );
  }
  const header =
    ' * How many copies of each object class a room has, counted over ALFWorld’s train games (MIT) and rounded:\n' +
    ' * percent of games that have the class, then, among those, percent with one, two, three, and four or more.';
  return moduleText(header, 'copiesByKind', groups);
}

function placesModule(tally: Tally): string {
  const groups = new Map<string, string[]>();
  for (const [kind, rows] of grouped(tally.places))
    groups.set(
      kind,
      rows.map(([name, counts]) => `${name}: '${shares(counts)}'`),
    );
  const header =
    ' * Where objects lie: percent of an object class’s copies per receptacle class (`none`: in no receptacle),\n' +
    ' * counted over ALFWorld’s train games (MIT) and rounded.';
  return moduleText(header, 'placesByKind', groups);
}

function tasksModule(tally: Tally): string {
  const groups = new Map<string, string[]>();
  for (const [group, rows] of grouped(tally.tasks)) {
    const games = rows.reduce((sum, [, counts]) => sum + total(counts), 0);
    const lines = rows.map(([name, counts]) => {
      const perThousand = [...counts].map(
        ([target, value]) => `${target} ${Math.max(1, Math.round((1000 * value) / games))}`,
      );
      return `${name}: '${perThousand.sort().join(' ')}'`;
    });
    groups.set(`'${group}'`, [`games: '${games}'`, ...lines]);
  }
  const header =
    ' * What tasks ask for: per task type and room kind the number of games, and per object class the targets\n' +
    ' * with their share per thousand, counted over ALFWorld’s train games (MIT) and rounded.';
  return moduleText(header, 'taskPairs', groups);
}

function main(): void {
  const [trainFolder, outputFolder] = process.argv.slice(2);
  if (trainFolder === undefined || outputFolder === undefined) {
    process.stderr.write('count-rooms: needs <train folder> <output folder>\n');
    process.exitCode = 64;
    return;
  }
  const tally = tallyFolder(trainFolder);
  writeFileSync(join(outputFolder, 'copies-table.ts'), copiesModule(tally));
  writeFileSync(join(outputFolder, 'places-table.ts'), placesModule(tally));
  writeFileSync(join(outputFolder, 'task-pairs-table.ts'), tasksModule(tally));
}

main();
