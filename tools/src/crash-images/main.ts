/**
 * Records small commands, replays every prefix of their writing, and resumes every image that a crash may leave there.
 *
 *   node tools/dist/crash-images/main.js [--only bc] [--drawn 8] [--finish 200] [--again 0] [--calls 0] [--seed 1] [--folder DIR]
 *
 * `--drawn`: random images a moment beside the systematic ones. `--finish`: images a command that run to their end.
 * `--calls 1`: beside that every call of the file system fails once, `--calls 10`: every tenth.
 * `--again`: images whose resumption is recorded as well, and crashes a second time at every moment.
 * Ends with status 2 on any fault.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '@emac/core';
import type { Tree } from './changes.ts';
import { callFaults, struckAt } from './call-faults.ts';
import { startQueue } from './queue.ts';
import { subjects, type Subject } from './subjects.ts';
import { checked, finished, imagesOf, recorded, resumedAgain, type Image, type Recordings } from './trial.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    drawn: { type: 'string', default: '8' },
    again: { type: 'string', default: '0' },
    finish: { type: 'string', default: '200' },
    calls: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string' },
  },
});
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'emac-crashes-'));
const say = (line: string) => process.stdout.write(`${line}\n`);
const total = { images: 0, finished: 0, calls: 0, faults: 0 };

async function tried(subject: Subject): Promise<void> {
  const { name } = subject;
  const queue = subject.hasWorker ? await startQueue() : null;
  const bench = { subject, folder: join(folder, name), queue };
  const random = Random.fromSeed(`${values.seed}/${name}`);
  const seen = new Map<string, number>();
  const found = (fault: string, when: string) => {
    total.faults++;
    const kind = fault.replace(/[0-9a-f]{6,}|\d+/g, 'N');
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    if (seen.get(kind) === 1) say(`  ${name}, ${when}: ${fault}`);
  };
  const whenOf = ({ changes }: Recordings, image: Image) => {
    const { change, path } = changes[image.changes - 1]!;
    return `after change ${image.changes} (${change.kind} ${path})`;
  };
  const all = (made: Recordings, start?: Tree): Image[] => {
    const images = [
      ...imagesOf(made.changes, { random, drawn: Number(values.drawn), ...(start && { start }) }),
    ];
    for (const image of images)
      for (const fault of checked(bench, image, made.expectations)) found(fault, whenOf(made, image));
    total.images += images.length;
    return images;
  };
  const first = await recorded(bench);
  const images = all(first);
  say(`${name}: ${first.changes.length} changes, ${images.length} images`);
  for (let done = 0; done < Number(values.finish); done++) {
    const image = random.pick(images);
    for (const fault of await finished(bench, image, first.expectations))
      found(fault, `${whenOf(first, image)}, to its end`);
    total.finished++;
  }
  let twice = 0;
  for (let done = 0; done < Number(values.again); done++) {
    const image = random.pick(images);
    const again = await resumedAgain(bench, image, first.expectations);
    if (!again) continue;
    const later = all(again, image.tree);
    twice += later.length;
    if (later.length === 0) continue;
    const last = random.pick(later);
    for (const fault of await finished(bench, last, first.expectations))
      found(fault, `${whenOf(first, image)}, again ${whenOf(again, last)}, to its end`);
    total.finished++;
  }
  if (twice > 0) say(`${name}: ${twice} images of a second crash, while ${values.again} images were resumed`);
  let calls = 0;
  for (const fault of Number(values.calls) > 0 ? callFaults : [])
    for (let nth = 0; ; nth += Number(values.calls)) {
      const { isStruck, faults } = await struckAt(bench, first.expectations, { fault, nth });
      if (!isStruck) break;
      calls++;
      for (const each of faults) found(each, 'a failed call');
    }
  if (calls > 0) say(`${name}: ${calls} calls failed`);
  total.calls += calls;
  for (const [kind, times] of seen) if (times > 1) say(`  ${times} × ${kind}`);
  await queue?.stop();
}

for (const subject of subjects)
  if (values.only === undefined || values.only === subject.name) await tried(subject);
say(
  `${total.images} images resumed, ${total.finished} of them to their end; ${total.calls} failed calls; ${total.faults} faults`,
);
process.exitCode = total.faults === 0 ? 0 : 2;
