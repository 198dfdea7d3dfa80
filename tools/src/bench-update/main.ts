/**
 * One DPO update as published and as a learner does it, on emma-tiny and on a slice of the published shapes.
 *
 *   node tools/dist/bench-update/main.js [--json] [--against-python PYTHON] [--only tiny|slice] [--repetitions N]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openModelFiles } from '@emac/backbone';
import { Random } from '@emac/core';
import { modelFolder } from '@emac/emma-tiny';
import { loadTensorflow } from '@emac/model';
import { measured, openPolicy, table, type Measured } from './measure.ts';
import { playedPairs } from './play.ts';
import { writeSlice } from './slice.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    'against-python': { type: 'string' },
    only: { type: 'string' },
    repetitions: { type: 'string' },
  },
});
const python = values['against-python'];
const repetitions = (standard: number) => Number(values.repetitions ?? standard);
const tensorflow = await loadTensorflow('auto');
const player = await openPolicy(openModelFiles(modelFolder), { tensorflow, savings: {}, spread: 0 });
const random = Random.fromSeed('benchmark');
const played = await playedPairs(player, { games: [3, 8, 11, 20], random });
await player.dispose();
const drawn = Array.from({ length: 8 }, () => played[random.integer(played.length)]!);

const found: Measured[] = [];
if (values.only !== 'slice') {
  const what = 'emma-tiny, 8 pairs';
  found.push(await measured(modelFolder, drawn, { what, tensorflow, python, repetitions: repetitions(21) }));
}
if (values.only !== 'tiny') {
  const folder = mkdtempSync(join(tmpdir(), 'emac-slice-'));
  try {
    const parameters = (writeSlice(folder) / 1e6).toFixed(0);
    const what = `a sixteenth of InstructBLIP-Vicuna-7B (${parameters} million parameters), 2 pairs`;
    const pairs = drawn.slice(0, 2);
    found.push(await measured(folder, pairs, { what, tensorflow, python, repetitions: repetitions(3) }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
process.stdout.write(`${values.json ? JSON.stringify(found, null, 1) : found.map(table).join('\n\n')}\n`);
