/** The documents as they lie in the repository: links lead somewhere, and lists in them are complete. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exitCodes } from '@emac/core';
import { layout } from '@emac/runs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifestOf, withSiblings } from '../workspace/packed-set.ts';
import { packageNames, root } from '../workspace/root.ts';
import { deadLinksOfDocuments, deadLinksOfSite } from './dead-links.ts';
import { documentsBelow } from './documents-below.ts';
import { finishedPage, openedFromDisk, pageFaults } from './page-html.ts';
import { addressOf, groupOf, headingOf, inOrderOf } from './site-places.ts';

const documents = [
  ...[
    'README.md',
    'AGENTS.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'CODE_OF_CONDUCT.md',
    'SECURITY.md',
    'apps/cli/README.md',
    'tools/README.md',
    'tools/reference/README.md',
  ],
  'experiments/README.md',
  ...packageNames().map((name) => `packages/${name}/README.md`),
  ...documentsBelow('docs'),
].map((name) => `${root}${name}`);

describe('the documents', () => {
  it('link to files, folders and headings that are there', () => {
    expect(deadLinksOfDocuments(documents)).toEqual([]);
  });

  it('name every exit status', () => {
    const rows = readFileSync(`${root}docs/reference/exit-codes.md`, 'utf8').matchAll(/^\| (\d+) \|/gm);
    const named = [...rows].map(([, status]) => Number(status));
    expect(named).toEqual(expect.arrayContaining(Object.values(exitCodes)));
    // done, a bug; no others than these
    expect(named.filter((status) => status > 1).sort()).toEqual(Object.values(exitCodes).sort());
  });

  it('hold decisions of at most 60 lines, numbered in order and listed', () => {
    const index = readFileSync(`${root}docs/decisions/README.md`, 'utf8');
    const names = readdirSync(`${root}docs/decisions`).filter((name) => name !== 'README.md');
    for (const [place, name] of names.entries()) {
      const text = readFileSync(`${root}docs/decisions/${name}`, 'utf8');
      expect(name).toMatch(new RegExp(`^${String(place + 1).padStart(4, '0')}-[a-z0-9-]+\\.md$`));
      expect(index).toContain(`[${headingOf(text)!.replace(/^\d+\. /, '')}](${name})`);
      expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
        'Context',
        'Choice',
        'Alternatives',
        'Numbers',
      ]);
      expect(text.split('\n').length, name).toBeLessThanOrEqual(61);
    }
  });

  it('say what a package brings', () => {
    const page = readFileSync(`${root}docs/reference/packages.md`, 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (\d+) \| (.+?) \| \d+ \|$/gm)];
    expect(rows.map(([, name]) => name)).toContain('experiment');
    for (const [, name, count, others] of rows) {
      const all = withSiblings([name!]);
      expect(all, name).toHaveLength(Number(count));
      const declared = all.flatMap((each) => Object.keys(manifestOf(each).dependencies ?? {}));
      const foreign = [...new Set(declared)].filter((each) => !each.startsWith('@emac/')).sort();
      const told = /^(\d+), among them (.+)$/.exec(others!);
      if (!told) expect(foreign.join(', ') || 'none', name).toBe(others);
      else
        expect([foreign.length, foreign], name).toEqual([
          Number(told[1]),
          expect.arrayContaining(told[2]!.split(', ')),
        ]);
    }
  });

  it('name a test for every report from outside', () => {
    const page = `${root}docs/reference/reports.md`;
    const rows = readFileSync(page, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^\| (-+|report) \|/.test(line));
    expect(rows.length).toBeGreaterThanOrEqual(30);
    for (const row of rows) {
      const shown = row.split(' | ').at(-1)!.replace(/ \|$/, '').split('<br>');
      for (const each of shown) {
        const [, path, name] = /^\[[^\]]+\]\((\S+\.test\.ts)\): (.+)$/.exec(each) ?? [];
        expect(path, `${row}: must end in [file](path): name of a test`).toBeDefined();
        const code = readFileSync(join(dirname(page), path!), 'utf8').replaceAll("\\'", "'");
        expect(code, row).toContain(name);
      }
    }
  });

  it('name tests of promises and faults that are there', () => {
    const page = readFileSync(`${root}docs/reliability.md`, 'utf8');
    const rows = page
      .split('\n\n')
      .filter((part) => /^\| (promise|fault) \|/.test(part))
      .flatMap((table) => table.trim().split('\n').slice(2));
    expect(rows.length).toBeGreaterThanOrEqual(100);
    for (const row of rows) {
      const shown = row.split(' | ').at(-1)!.replace(/ \|$/, '');
      const [, folder, file, name = ''] =
        /^`(?:EMAC_LONG=1 )?t (\S+) (\S+\.test\.ts)(?: "([^"]+)")?`$/.exec(shown) ?? [];
      if (folder === undefined) expect(shown, row).toMatch(/^(none|`(node tools\/dist\/|npm run ).+`)$/);
      else {
        const code = readFileSync(join(root, folder, file!), 'utf8').replaceAll("\\'", "'");
        expect(code, row).toContain(name);
      }
    }
  });

  it('name every file of a run', () => {
    const told = readFileSync(`${root}docs/reference/run-folder.md`, 'utf8');
    const { latest, best, ...names } = layout;
    for (const name of [...Object.values(names), `checkpoints/${latest}`, `checkpoints/${best}`])
      expect(told, name).toContain(`\`${name}`);
  });
});

describe('links that lead nowhere', () => {
  const folder = mkdtempSync(join(tmpdir(), 'links-'));
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  beforeAll(() => {
    write('there.html', '<h1 id="top">');
    write(
      'page.html',
      '<a href="there.html#top"><a href="gone.html"><a href="there.html#gone"><a href="https://a.b/c">',
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are found in a site', () => {
    expect(deadLinksOfSite(folder)).toEqual(['page.html: gone.html', 'page.html: there.html#gone']);
  });

  it("are found in documents, with GitHub's heading anchors, but not in code", () => {
    write('other.md', '# A `B`, c-d\n```sh\n# no heading\n```\n');
    const path = write(
      'one.md',
      '# One\n[a](other.md#a-b-c-d) [b](other.md#no-heading) [c](gone.md) [d](#one) [e](#two)',
    );
    expect(deadLinksOfDocuments([path])).toEqual(
      ['other.md#no-heading', 'gone.md', '#two'].map((link) => `${path}: ${link}`),
    );
  });
});

it('a link to a folder of the site leads to the page in it', () => {
  const links = '<a href="./"><a href="../../#top"><a href="../a.html"><a href="https://a.b/">';
  expect(openedFromDisk(links)).toBe(
    '<a href="./index.html"><a href="../../index.html#top"><a href="../a.html"><a href="https://a.b/">',
  );
});

it('a document is listed under its heading', () => {
  expect(headingOf('text\n# The `emac` command\n## more')).toBe('The emac command');
  expect(headingOf('no heading')).toBeNull();
});

it('a document has the group of its folder, the address of its file and the place of its link', () => {
  expect(['docs/guides/a.md', 'docs/log.md', 'docs/log/a.md', 'CHANGELOG.md'].map(groupOf)).toEqual([
    'Guides',
    'Decisions and log',
    'Decisions and log',
    'Project',
  ]);
  expect(['docs/README.md', 'docs/guides/a.md', 'README.md'].map(addressOf)).toEqual([
    'docs/index',
    'docs/guides/a',
    'index',
  ]);
  const index = { path: 'docs/README.md', text: '[b](start/b.md) [a](start/a.md)' };
  expect(inOrderOf(index, ['CHANGELOG.md', 'docs/start/a.md', 'docs/start/b.md'])).toEqual([
    'docs/start/b.md',
    'docs/start/a.md',
    'CHANGELOG.md',
  ]);
});

it('a page of the site is mended for screen readers', () => {
  const page =
    '<div class="col-content"><h1>A</h1><summary><h2>B<a href="#b" class="tsd-anchor-icon">#</a></h2></summary><table><th></th>';
  expect(pageFaults(page)).toEqual([
    'not one main landmark',
    'an empty table heading',
    'a link inside a summary',
  ]);
  expect(pageFaults(finishedPage(page))).toEqual([]);
});
