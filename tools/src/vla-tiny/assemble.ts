/** Usage: node tools/dist/vla-tiny/assemble.js TRAINED MODEL_FOLDER */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeStatistics } from '@emac/vla';
import { assemble } from '../tiny-model/assemble.ts';
import { demonstratedStatistics } from './action-words.ts';
import { vlaTinyConfigJson } from './config.ts';

const [trained, folder] = process.argv.slice(2);
if (!trained || !folder) throw new Error('usage: assemble TRAINED MODEL_FOLDER');
assemble(trained, folder, vlaTinyConfigJson);
writeFileSync(
  join(folder, 'dataset_statistics.json'),
  writeStatistics({ 'tabletop/spatial': demonstratedStatistics() }),
);
