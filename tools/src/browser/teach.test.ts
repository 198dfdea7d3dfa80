/** A scripted person who labels in a real browser: clicks what the scripted player would do. Skipped without Chromium (CHROMIUM_PATH names its program). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen, teachPage, type Listening } from '@emac/bridge';
import type { OpenedKind } from '@emac/core';
import { collectEnvironment } from '@emac/datasets';
import { openTeaching, train, type Teaching } from '@emac/experiment';
import { openKind, plainHost, type Host } from '@emac/opening';
import { isLong } from '@emac/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './accessibility.ts';
import { chromiumPath, openChromium } from './chromium.ts';
import { looks } from './looks.ts';
import { openWatched } from './watched-page.ts';

const env = 'MiniGrid-Empty-Random-5x5-v0';
const token = 'the-token-of-this-test';

describe.skipIf(!chromiumPath())('a person who labels in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'teach-'));
  let browser: Browser;
  let kind: OpenedKind;
  beforeAll(async () => {
    kind = await openKind({ env, maxSteps: null }, null);
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  /** Works while the script clicks; returns the result and the number of clicks. */
  async function taught<T>(
    work: (host: Host) => Promise<T>,
    { look = looks.at(-1)!, is = 'training' as 'training' | 'collection' } = {},
  ) {
    const teaching = openTeaching(is);
    const { fetch } = teachPage({ place: teaching.place, title: 'teach', token });
    const server: Listening = await listen({ fetch, port: 0 });
    const address = `${server.address}/?token=${token}`;
    const watched = await openWatched(browser, look, { address, home: server.address });
    // one poll that fails, as when a laptop wakes up
    let isFailed = false;
    await watched.page.route('**/teach', (route) => {
      const isPoll = (route.request().postDataJSON() as { kind: string }).kind === 'show';
      const fails = isPoll && !isFailed;
      if (fails) isFailed = true;
      return fails ? route.abort() : route.continue();
    });
    const { person, listener, end } = teaching;
    const working = work({ ...plainHost({ listener }), person }).finally(end);
    const clicking = clicked(watched.page, teaching);
    try {
      // a script that fails leaves the work waiting
      const made = await Promise.race([working, clicking.then(() => working)]);
      const clicks = await clicking;
      await watched.page.getByText(`The ${is} is over.`).waitFor();
      const view = await viewOf(teaching);
      const { complaints, outside } = watched;
      expect(complaints.filter((text) => !text.includes('net::ERR_FAILED'))).toEqual([]);
      expect(outside).toEqual([]);
      expect(isFailed).toBe(true);
      return { made, clicks, view };
    } finally {
      await watched.close();
      await server.close();
    }
  }

  async function viewOf({ place }: Teaching) {
    const answer = await place({ kind: 'show', unlike: null });
    if ('fault' in answer) throw new Error(answer.fault);
    return answer.view;
  }

  async function clicked(page: Page, teaching: Teaching): Promise<number> {
    for (let clicks = 0; ;) {
      const { question, version, isOver } = await viewOf(teaching);
      if (isOver) return clicks;
      if (question) {
        const { task: id, initial, turns, id: number } = question;
        const request = {
          task: { id, type: null },
          history: { initial, turns },
          memories: [],
          admissible: null,
        };
        const label = await kind.player!.label(request);
        if (clicks === 0) {
          await page.locator('.game-list button').first().waitFor();
          expect(await violations(page)).toEqual([]);
        }
        const command = label.kind === 'action' ? label.command : 'done';
        const button = page.locator(`[data-question="${number}"] .game-list button`, { hasText: command });
        // the second click of a double click is no label of the next state
        await (clicks % 2 === 0 ? button.dblclick() : button.click());
        clicks++;
        // others may come meanwhile; what counts is that this one has gone
        for (let now = await viewOf(teaching); now.question?.id === number;) {
          await teaching.place({ kind: 'show', unlike: now.version });
          now = await viewOf(teaching);
        }
      } else await teaching.place({ kind: 'show', unlike: version });
    }
  }

  const common = {
    env,
    policy: 'mlp',
    seed: 1,
    out: folder,
    expert: { kind: 'human' },
    evaluation: { episodes: 20 },
  } as const;
  const optimization = { batchSize: 16, updatesPerEpisode: 16, learningRate: 1e-2 };

  it.each(isLong ? [looks[0]!, looks.at(-1)!] : [looks.at(-1)!])(
    'corrects ten games, and success rises from 0 to 1 (at $name)',
    async (look) => {
      // the person acts in the first round, and corrects the policy in the second
      const play = {
        rounds: 2,
        gamesPerRound: 5,
        expertShare: { start: 1, decay: 0 },
        episodesPerUpdate: 5,
        maxSteps: 20,
      };
      const asked = { ...common, phase: 'bc', play, optimization } as const;
      const { made: run, clicks, view } = await taught((host) => train(asked, host), { look });
      expect([run.before!.success, run.after!.success]).toEqual([0, 1]);
      expect(view.given).toBe(clicks);
      expect(view.parts.map(({ name, episodes }) => [name, episodes])).toEqual([
        ['evaluation before', 20],
        ['round 1', 5],
        ['round 2', 5],
        ['evaluation after', 20],
      ]);
      expect(view.parts.at(-1)!.success).toBe(1);
    },
  );

  it('trains DPO on its choices: each correction is a pair of its command and the policy’s', async () => {
    const start = { rounds: 1, gamesPerRound: 1, episodesPerUpdate: 1, maxSteps: 2 };
    const weak = await train({ ...common, expert: {}, phase: 'bc', play: start, optimization });
    const play = {
      rounds: 1,
      gamesPerRound: 4,
      expertShare: { start: 0, decay: 1 },
      episodesPerUpdate: 4,
      maxSteps: 5,
    };
    const asked = {
      ...common,
      phase: 'dpo',
      play,
      optimization,
      start: { ref: weak.folder },
      samples: { trainAfter: 'every-episode' },
    } as const;
    const { made: run, view } = await taught((host) => train(asked, host));
    expect(view.corrected).toBeGreaterThan(0);
    expect(run.after!.success).toBeGreaterThan(run.before!.success!);
  });

  it('labels a collection', async () => {
    const asked = { env, samples: 4, out: join(folder, 'collected'), expert: { kind: 'human' } } as const;
    const work = (host: Host) => collectEnvironment(asked, host);
    const { made, clicks, view } = await taught(work, { is: 'collection' });
    expect(made).toMatchObject({ samples: { training: 4, validation: 0 } });
    expect([clicks, view.given]).toEqual([4, 4]);
  });
});
