/** Usage: node tools/dist/lewis-tiny/assemble.js TRAINED MODEL_FOLDER */
import { assemble } from '../tiny-model/assemble.ts';
import { lewisTinyConfigJson } from './config.ts';

const [trained, folder] = process.argv.slice(2);
if (!trained || !folder) throw new Error('usage: assemble TRAINED MODEL_FOLDER');
assemble(trained, folder, lewisTinyConfigJson);
