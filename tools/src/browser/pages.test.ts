/**
 * Board and report in a real browser, for a really trained run, an evaluation, and a run with hostile texts. Skipped
 * without Chromium (CHROMIUM_PATH names its program).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serveBoard, type ServedBoard, report, tablesPage } from '@emac/report';
import { evaluatePolicy, train } from '@emac/experiment';
import { createFolder } from '@emac/files';
import type { Browser, Page } from 'playwright-core';
import { isLong } from '@emac/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './accessibility.ts';
import { chromiumPath, openChromium } from './chromium.ts';
import { hostile, hostileRun } from './hostile-run.ts';
import { looks, type Look } from './looks.ts';
import { openWatched, type WatchedPage } from './watched-page.ts';

const found = chromiumPath();
const title = found
  ? `in ${found}`
  : 'in a browser: left out, there is no Chromium (install it, or set CHROMIUM_PATH)';
const [phone, , , desktop] = looks as readonly [Look, Look, Look, Look];

interface Result {
  readonly success: number;
  readonly mean_steps: number;
  readonly by_type: Readonly<
    Record<string, { won: number; games: number; mean_steps: number; success_ci95: number[] }>
  >;
}

describe.skipIf(!found)(title, () => {
  const folder = mkdtempSync(join(tmpdir(), 'pages-'));
  let browser: Browser;
  let served: ServedBoard;
  let runs: { trained: string; evaluated: string; hostile: string };
  const opened: WatchedPage[] = [];

  beforeAll(async () => {
    const out = join(folder, 'runs');
    const play = { rounds: 1, gamesPerRound: 2, maxSteps: 4 };
    const trained = await train({ phase: 'bc', out, play, probe: false, evaluation: { episodes: 2 } });
    const evaluated = join(out, 'evaluated');
    await evaluatePolicy({ ckpt: trained.folder, numGames: 2, maxSteps: 4, out: `${evaluated}/` });
    runs = { trained: trained.folder, evaluated, hostile: hostileRun(out) };
    served = await serveBoard({ folder: out, port: 0, now: () => new Date() });
    browser = await openChromium();
  });
  // an open board goes on looking at its files
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    rmSync(folder, { recursive: true });
  });

  async function at(look: Look, path: string): Promise<WatchedPage> {
    const watched = await openWatched(browser, look, {
      address: `${served.address}${path}`,
      home: served.address,
    });
    opened.push(watched);
    // it loads its data after its script
    await watched.page.locator('main h1').waitFor();
    return watched;
  }

  /** the report of these runs, opened from disk */
  async function reportOf(look: Look, folders: readonly string[]): Promise<WatchedPage> {
    const file = join(folder, 'report.html');
    writeFileSync(file, report(folders, { now: new Date() }));
    const watched = await openWatched(browser, look, { address: pathToFileURL(file).href });
    opened.push(watched);
    return watched;
  }

  const pageOf = (run: string) => `run/${basename(run)}`;
  const expectQuiet = ({ complaints, outside }: WatchedPage) =>
    expect({ complaints, outside }).toEqual({ complaints: [], outside: [] });

  /** opens the first episode, and returns its strip */
  async function firstEpisode(page: Page) {
    const episode = page.locator('#episodes > details').first();
    await episode.locator('summary').click();
    await episode.locator('.strip > li').first().waitFor();
    return episode;
  }

  /** writes an update with this loss, which these pages then show */
  async function hear(those: readonly Page[], loss: number) {
    const update = { kind: 'update', update: Math.round(loss * 1e4), loss };
    writeFileSync(join(runs.hostile, 'metrics.jsonl'), `${JSON.stringify(update)}\n`, { flag: 'a' });
    for (const page of those)
      await page
        .locator('figcaption', { hasText: String(loss) })
        .first()
        .waitFor();
  }

  /** a page's policy forbids the browser to evaluate texts by itself */
  const until = (page: Page, condition: string) =>
    expect.poll(() => page.evaluate(condition), { timeout: 20_000 }).toBe(true);

  // every size and every colour once
  describe.each(isLong ? looks : [phone, desktop])('at $name', (look) => {
    it.each(['report', 'board'] as const)(
      'the %s of a run is whole: nothing from outside, no complaint, axe finds nothing, nothing wider than the screen',
      async (kind) => {
        const watched =
          kind === 'report' ? await reportOf(look, [runs.trained]) : await at(look, pageOf(runs.trained));
        const { page } = watched;
        const episode = await firstEpisode(page);
        await until(
          page,
          '[...document.querySelectorAll("details[open] .strip img")].every((i) => i.naturalWidth > 0)',
        );
        expect(await episode.locator('img').count()).toBeGreaterThan(1);
        // every chart has drawn something
        const blank = await page.evaluate(`[...document.querySelectorAll('canvas')].filter((canvas) => {
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          return data.every((value) => value === 0);
        }).length`);
        expect(await page.locator('canvas').count()).toBeGreaterThan(0);
        expect(blank).toBe(0);
        expect(await violations(page)).toEqual([]);
        const [wide, screen] = (await page.evaluate(
          '[document.documentElement.scrollWidth, innerWidth]',
        )) as [number, number];
        expect(wide).toBeLessThanOrEqual(screen);
        expectQuiet(watched);
      },
    );
  });

  it.each([looks[1]!, ...(isLong ? [desktop] : [])])(
    'the list of runs, and a report of several, are whole at $name',
    async (look) => {
      for (const watched of [
        await at(look, ''),
        await at(look, pageOf(runs.evaluated)),
        await reportOf(look, [runs.trained, runs.evaluated]),
      ]) {
        expect(await violations(watched.page)).toEqual([]);
        expectQuiet(watched);
      }
      const [{ page }] = opened as [WatchedPage];
      const row = page.locator('tbody tr', { has: page.locator(`[title="${basename(runs.trained)}"]`) });
      // one sentence on the list and on the run's page
      expect(await row.locator('td').first().innerText()).toMatch(
        /^\d+ % → \d+ %\s+[+−±]\d+ points, no significant change\s+held out: \d of 2, \d+ % to \d+ %$/,
      );
      const isWide = look.width > 640;
      expect(await row.locator('small.narrow').isVisible()).toBe(!isWide);
      // success before and after and what changed are in sight without scrolling
      const change = (await row.locator('.change').boundingBox())!;
      expect(change.x + change.width).toBeLessThanOrEqual(look.width);
      expect(await page.locator('td.of-method').first().isVisible()).toBe(isWide);
      const state = page.locator('select[name=state]');
      expect(await state.isVisible()).toBe(isWide);
      if (!isWide) await page.getByRole('button', { name: 'filters' }).click();
      await state.waitFor();
    },
  );

  it('shows the curves of metrics.jsonl, and describes them correctly', async () => {
    const { page } = await reportOf(desktop, [runs.trained]);
    const lines = readFileSync(join(runs.trained, 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
    const losses = lines
      .map((line) => JSON.parse(line) as { kind: string; loss: number })
      .filter(({ kind }) => kind === 'update')
      .map(({ loss }) => loss);
    const { run } = JSON.parse(await page.locator('#data').innerHTML()) as {
      run: { series: { name: string; y: number[] }[] };
    };
    expect(run.series.find(({ name }) => name === 'update loss')!.y).toEqual(losses);
    const short = (value: number) => String(Number(value.toPrecision(4)));
    const figure = page.locator('figure', { hasText: 'update loss' });
    expect(await figure.locator('figcaption').innerText()).toBe(
      `update loss ${short(losses[0]!)} → ${short(losses.at(-1)!)} (${short(Math.min(...losses))} to ${short(Math.max(...losses))})`,
    );
    // the pointer at the right end shows the last value
    const { width, height } = (await figure.locator('.u-over').boundingBox())!;
    await figure.locator('.u-over').hover({ position: { x: width - 1, y: height / 2 } });
    expect(await figure.locator('.hovered b').innerText()).toBe(short(losses.at(-1)!));
    await page.selectOption('select[name=x]', 'time');
    await figure.locator('.u-over').hover({ position: { x: width - 1, y: height / 2 } });
    expect(await figure.locator('.hovered').innerText()).toMatch(
      new RegExp(`^[\\d.]+ seconds of work\\s+${short(losses.at(-1)!)}`),
    );
  });

  it.each(['report', 'board'] as const)(
    'the numbers of results in the %s are those of eval.json',
    async (kind) => {
      const { page } =
        kind === 'report' ? await reportOf(desktop, [runs.trained]) : await at(desktop, pageOf(runs.trained));
      const [before, after] = ['eval-before.json', 'eval.json'].map(
        (name) => JSON.parse(readFileSync(join(runs.trained, name), 'utf8')) as Result,
      );
      const cell = (value: number) => `${(100 * value).toFixed(0)} %`;
      const rows = await page.getByRole('region', { name: 'results of' }).locator('tbody tr').all();
      const texts = await Promise.all(
        rows.map(async (row) => (await row.locator('th, td').allInnerTexts()).map((text) => text.trim())),
      );
      for (const row of texts.slice(0, -1)) {
        const [type, ...cells] = row;
        const [earlier, later] = [before!, after!].map(({ by_type }) => {
          const { won, games, mean_steps, success_ci95 } = by_type[type!]!;
          const interval = `(${success_ci95.map(cell).join(' to ')})`;
          return [`${cell(won / games)} ${interval}`, `${won} of ${games}`, mean_steps.toFixed(1)];
        });
        expect(cells).toEqual(earlier!.flatMap((each, place) => [each, later![place]]));
      }
      const all = texts.at(-1)!;
      expect(all[0]).toBe('all');
      expect(all[1]).toContain(cell(before!.success));
      expect(all[2]).toContain(cell(after!.success));
      expect(all.slice(5)).toEqual([before!, after!].map(({ mean_steps }) => mean_steps.toFixed(1)));
      const worked = page.getByRole('region', { name: 'summary of' }).locator('.worked');
      expect(await worked.locator('.big').innerText()).toMatch(
        new RegExp(`^${cell(before!.success)}\\s*→\\s*${cell(after!.success)}$`),
      );
      expect(await worked.innerText()).toMatch(/\d of 2, 95 % interval \d+ % to \d+ %/);
      expect(await worked.innerText()).toContain('success on held-out tasks, before → after');
    },
  );

  it('an episode shows each step of its transcript: policy, expert, observation', async () => {
    const { page } = await at(desktop, pageOf(runs.trained));
    const strip = (await firstEpisode(page)).locator('.strip > li');
    const steps = readFileSync(join(runs.trained, 'episodes/000000.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>)
      .filter(({ kind }) => kind === 'step');
    expect(await strip.count()).toBe(steps.length + 1);
    for (const [index, { own, label, observation }] of steps.entries()) {
      const said = (term: string) =>
        strip
          .nth(index + 1)
          .locator(`dt:text-is("${term}") + dd`)
          .first()
          .textContent();
      expect(await said('policy')).toBe(own);
      expect(await said('expert')).toBe(label);
      expect(await said('observation')).toBe(observation);
    }
  });

  it('can be used with the keyboard alone, and shows the focus', async () => {
    const { page } = await at(desktop, '');
    const tabTo = async (selector: string) => {
      for (let pressed = 0; pressed < 60; pressed++) {
        await page.keyboard.press('Tab');
        const [isThere, outline] = (await page.evaluate(
          `[document.activeElement.matches(${JSON.stringify(selector)}), getComputedStyle(document.activeElement).outlineStyle]`,
        )) as [boolean, string];
        expect(outline).not.toBe('none');
        if (isThere) return;
      }
      throw new Error(`no Tab leads to ${selector}`);
    };
    await tabTo(`a[href="/${pageOf(runs.trained)}"]`);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${pageOf(runs.trained)}`);
    await page.locator('#episodes').waitFor();
    const [won, lost] = await Promise.all(
      ['won', 'lost'].map((outcome) => page.locator(`#episodes > [data-outcome=${outcome}]`).count()),
    );
    await tabTo('select[name=outcome]');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('#episodes > details:visible').count()).toBe(won);
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('#episodes > details:visible').count()).toBe(lost);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await tabTo('#episodes summary');
    await page.keyboard.press('Enter');
    await page.locator('#episodes .strip > li').nth(2).waitFor();
    // so narrow that no strip of three frames fits
    await page.setViewportSize({ width: 320, height: 800 });
    await tabTo('.strip');
    await page.keyboard.press('ArrowRight');
    await until(page, 'document.querySelector(".strip").scrollLeft > 0');
  });

  it.each(['report', 'board'] as const)('hostile texts stay texts in the %s', async (kind) => {
    const watched =
      kind === 'report' ? await reportOf(phone, [runs.hostile]) : await at(phone, pageOf(runs.hostile));
    const { page, complaints, outside } = watched;
    await page.locator('#episodes').waitFor();
    await page.evaluate('for (const summary of document.querySelectorAll("summary")) summary.click()');
    await page
      .locator('#episodes .strip > li')
      .nth(2 * hostile.length - 1)
      .waitFor();
    await page.mouse.move(200, 400);
    expect(await page.evaluate('typeof hurt')).toBe('undefined');
    expect(await page.locator('main script, main a[href^=javascript], main svg').count()).toBe(0);
    const shows = { film: '.screen', samples: '.samples', strip: '.strip' };
    for (const [way, what] of Object.entries(shows)) {
      await page.evaluate(
        `for (const button of document.querySelectorAll('.ways button')) if (button.textContent === '${way}') button.click()`,
      );
      await until(page, `document.querySelectorAll('${what}').length === ${hostile.length}`);
    }
    const shown = await page.locator('#episodes').textContent();
    for (const text of hostile) expect(shown).toContain(text);
    const credited = page.locator('table.credits tbody tr');
    for (const [index, text] of hostile.entries())
      expect(await credited.nth(index).textContent()).toContain(`(done: ${text}.)`);
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(wide).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    // a picture under a hostile name does not exist
    expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
    expect(outside).toEqual([]);
  });

  it('keeps opened episodes and selections on the board when a run changes', async () => {
    const { page } = await at(desktop, pageOf(runs.hostile));
    await page.locator('#settings summary').click();
    await page.locator('input[name=text]').fill('img');
    const update = { kind: 'update', update: 99, loss: 0.0123 };
    writeFileSync(join(runs.hostile, 'metrics.jsonl'), `${JSON.stringify(update)}\n`, { flag: 'a' });
    await page.locator('figcaption', { hasText: '0.0123' }).first().waitFor();
    expect(await page.locator('#settings').getAttribute('open')).toBe('');
    expect(await page.locator('input[name=text]').inputValue()).toBe('img');
    expect(await page.locator('#episodes > details:visible').count()).toBe(1);
  });

  it('windows share one connection: more of them open than a browser has connections, all hear of changes, also when the one that has it closes or hides', async () => {
    const { page: first } = await at(desktop, pageOf(runs.hostile));
    const context = first.context();
    const pages = [first];
    // a browser has six connections to a server
    for (let window = 1; window < 8; window++) {
      const page = await context.newPage();
      await page.goto(`${served.address}${pageOf(runs.hostile)}`);
      await page.locator('main h1').waitFor();
      pages.push(page);
    }
    const set = (page: Page, state: string) =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await hear([pages[0]!, pages[7]!], 0.0456);
    await first.close();
    await hear([pages[1]!, pages[7]!], 0.0457);
    await set(pages[1]!, 'hidden');
    await hear([pages[2]!, pages[7]!], 0.0458);
    await set(pages[1]!, 'visible');
    await hear(pages.slice(1), 0.0459);
  });

  it('lists runs that are searched, sorted, chosen and given columns; the address keeps it', async () => {
    const { page } = await at(desktop, '');
    const list = page.getByRole('region', { name: 'runs' });
    await list.waitFor();
    const names = async () =>
      (await list.locator('tbody [title]').allInnerTexts()).map((name) => name.trim()).sort();
    const shortName = (run: string) => basename(run).replace(/^[\dT-]{16}/, '');
    expect(await names()).toEqual([runs.trained, runs.evaluated, runs.hostile].map(shortName).sort());
    await page.getByRole('searchbox').fill('done');
    await page.selectOption('select[name=add]', 'metric:update loss');
    await list.getByRole('button', { name: 'update loss', exact: true }).click();
    await page.getByRole('button', { name: 'clear selection' }).click();
    await page.getByRole('checkbox', { name: `draw ${basename(runs.trained)}` }).check();
    await page.locator('figcaption', { hasText: 'update loss' }).waitFor();
    await page.reload();
    await page.locator('figcaption', { hasText: 'update loss' }).waitFor();
    expect(await names()).toEqual([runs.trained, runs.hostile].map(shortName).sort());
    const losses = [runs.trained, runs.hostile].map((run) => {
      const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
      return lines
        .map((line) => JSON.parse(line) as { kind: string; loss: number })
        .findLast(({ kind }) => kind === 'update')!.loss;
    });
    const shown = (await list.locator('tbody td:last-child').allInnerTexts()).map(Number);
    expect(shown).toEqual(losses.sort((a, b) => b - a).map((loss) => Number(loss.toPrecision(4))));
    expect(await page.locator('tbody :checked').count()).toBe(1);
  });

  it('shows two runs side by side: settings that differ first, and films of a task that both played', async () => {
    const query = [runs.trained, runs.hostile].map((run) => `run=${basename(run)}`).join('&');
    const watched = await at(desktop, `compare?${query}`);
    const { page } = watched;
    const differ = page.getByRole('region', { name: 'settings that not all have' });
    await page.locator('#alone summary').click();
    const rounds = differ.locator('tr', { has: page.locator('th:text-is("play.rounds")') });
    await differ.waitFor();
    expect(await rounds.locator('td').allInnerTexts()).toEqual(['1', '–']);
    expect(await violations(page)).toEqual([]);
    await page.goto(`${served.address}compare?run=${basename(runs.trained)}&run=${basename(runs.trained)}`);
    // the last episode at the first task, where policy and expert first differ
    const task = await page.locator('select[name=task]').inputValue();
    const lines = [1, 0]
      .map((episode) => readFileSync(join(runs.trained, `episodes/00000${episode}.jsonl`), 'utf8'))
      .map((text) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, string>),
      )
      .find(([head]) => head!['taskId'] === task)!;
    const steps = lines.filter(({ kind }) => kind === 'step');
    const parting = steps.findIndex(({ own, label }) => own && label && own !== label);
    expect(await page.locator('.film .soft').first().innerText()).toBe(
      `step ${parting + 1} of ${steps.length}`,
    );
    if (parting < 0) await page.getByRole('button', { name: 'step forward' }).click();
    const { own } = steps[Math.max(0, parting)]!;
    const screens = page.locator('.screen dt:text-is("policy") + dd');
    expect(await screens.allTextContents()).toEqual([own, own]);
    expectQuiet(watched);
  });

  it('shows a comparison of policies with its tables, films and parts, and no other addresses', async () => {
    const compared = join(folder, 'runs', 'compared');
    createFolder(join(compared, 'films'));
    const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    writeFileSync(join(compared, 'films', '000000.gif'), Buffer.from(gif, 'base64'));
    writeFileSync(join(compared, 'comparison.json'), JSON.stringify({ env: 'walk', policies: [] }));
    const linked = [
      { text: 'one', href: 'policies/one/report.html' },
      { text: 'two', href: 'javascript:hurt=1' },
    ];
    const tables = [{ name: 'Policies', head: ['policy', 'other'], rows: [linked] }];
    const pictures = [{ title: hostile[0]!, src: 'films/000000.gif' }];
    writeFileSync(
      join(compared, 'report.html'),
      tablesPage({ title: 'policies in walk', tables, notes: ['two tasks'], pictures, curves: [] }),
    );
    const watched = await at(desktop, '?q=comparison');
    const { page } = watched;
    await page.getByRole('link', { name: 'compared' }).click();
    await page.getByRole('heading', { name: 'policies in walk' }).waitFor();
    const links = page.getByRole('region', { name: 'Policies' }).locator('a');
    expect(await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))).toEqual([
      '/run/compared%2Fpolicies%2Fone',
    ]);
    await until(page, 'document.querySelector("main img").naturalWidth === 1');
    expect(await page.evaluate('typeof hurt')).toBe('undefined');
    expect(await violations(page)).toEqual([]);
    expectQuiet(watched);
  });

  it('lets who has the token star a run, name it and note something, in place', async () => {
    const control = { token: 'secret', record: () => undefined, commands: () => [] };
    const options = { folder: join(folder, 'runs'), port: 0, now: () => new Date(), every: 50 };
    const changing = await serveBoard({ ...options, control: control as never, readToken: 'read' });
    const name = basename(runs.hostile);
    const opens = async (hash: string, path = '', shows = 'main h1') => {
      const watched = await openWatched(browser, desktop, {
        address: `${changing.address}${path}${hash}`,
        home: changing.address,
      });
      opened.push(watched);
      await watched.page.locator(shows).waitFor();
      return watched;
    };
    const stranger = await opens('', '', 'main p');
    expect(await stranger.page.locator('main').innerText()).toMatch(/^The token is missing or wrong/);
    // pictures show the pass
    const run = await opens('#token=read', pageOf(runs.trained));
    await firstEpisode(run.page);
    await until(run.page, 'document.querySelector(".strip img").naturalWidth > 0');
    const reader = await opens('#token=read');
    expect(await reader.page.getByRole('button', { name: /^(star|edit) / }).count()).toBe(0);
    const watched = await opens('#token=secret');
    const { page } = watched;
    expect(page.url()).not.toContain('secret');
    await page.getByRole('button', { name: `star ${name}` }).click();
    await page.locator('[aria-pressed=true].star').waitFor();
    await page.getByRole('button', { name: `edit name and note of ${name}` }).click();
    await page.getByRole('textbox', { name: 'name', exact: true }).fill('my run');
    await page.getByRole('textbox', { name: 'note', exact: true }).fill(hostile[0]!);
    await page.keyboard.press('Enter');
    // the other page hears of it
    await reader.page.getByRole('link', { name: 'my run' }).waitFor();
    expect(
      await reader.page.locator('tbody tr').first().locator('small:not(.narrow)').first().innerText(),
    ).toBe(hostile[0]);
    expect(JSON.parse(readFileSync(join(runs.hostile, 'notes.json'), 'utf8'))).toEqual({
      title: 'my run',
      note: hostile[0],
      isStarred: true,
    });
    expect(await violations(page)).toEqual([]);
    for (const each of [run, reader, watched]) expectQuiet(each);
    await changing.close();
    // windows with the pass of an earlier board keep nothing from the next one's
    const port = Number(new URL(changing.address).port);
    const next = await serveBoard({ ...options, port, readToken: 'next' });
    const again = await run.page.context().newPage();
    await again.goto(`${next.address}${pageOf(runs.hostile)}#token=next`);
    await again.locator('main h1').waitFor();
    await hear([again], 0.0461);
    await next.close();
  });
});
