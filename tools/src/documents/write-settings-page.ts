/** Writes docs/reference/settings.md: `npm run docs:settings`. */
import { writeFileSync } from 'node:fs';
import { root } from '../workspace/root.ts';
import { settingsPage } from './settings-page.ts';

writeFileSync(`${root}docs/reference/settings.md`, settingsPage());
