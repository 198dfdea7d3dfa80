import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from '../workspace/root.ts';
import { settingsPage } from './settings-page.ts';

it('the page of settings equals the schemas; if not, run npm run docs:settings', () => {
  expect(readFileSync(`${root}docs/reference/settings.md`, 'utf8')).toBe(settingsPage());
});

it('the page has a row for every kind of setting', () => {
  const page = settingsPage();
  // a whole number with a default, words for values, a number above 0, a setting of a preset, a flag without a default
  expect(page).toContain(
    '| `--seed` | whole, 0 to 999999999999999 | `0` | seed of every random draw |  | `seed` |',
  );
  expect(page).toMatch(/\| `--mix-ratio` \|.*\| methods that learn from pairs \| `preference.mixRatio` \|/);
  expect(page).toMatch(/\| `--normalize-advantages` \| `update`, `minibatch`, `none` \| preset \|/);
  expect(page).toMatch(/\| `--temperature` \| number, 0\.000001 to 1000000 \| preset \|/);
  expect(page).toMatch(/\| `--advantage-limit` \| number, above 0 to 1000000, `none` \| none \|/);
});
