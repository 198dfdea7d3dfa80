/** A dataset with action scores rates steps with known pictures. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepEnvironment } from '@emac/core';
import { makeGymCards } from '@emac/gym-cards';
import { encodePng } from '@emac/images';
import { miniGrid, miniGridPrompt } from '@emac/minigrid';
import { plainHost } from '@emac/opening';
import { describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { contentOf } from './run-content.test.support.ts';
import { storedRater } from './stored-rater.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();

interface Scored {
  readonly environment: StepEnvironment;
  readonly prompt: string;
  readonly utilities?: object;
}

async function dataset(name: string, steps: readonly Scored[]): Promise<string> {
  const place = join(folder, name);
  mkdirSync(place);
  const records = [];
  for (const [number, { environment, prompt, utilities }] of steps.entries()) {
    const image = `${number}.png`;
    writeFileSync(join(place, image), await encodePng(environment.frame()));
    const texts = { image, text_input: prompt, text_output: '{"action": "+"}', task_type: environment.id };
    records.push({ ...texts, ...(utilities && { utilities }) });
  }
  writeFileSync(join(place, 'train.json'), JSON.stringify(records));
  return place;
}

function numberLine(seed: bigint) {
  const game = makeGymCards('gym_cards/NumberLine-v0');
  game.reset(seed);
  return game;
}

describe('ratings of a dataset', () => {
  it("are the action's scores at the same picture, and null elsewhere", async () => {
    const game = numberLine(0n);
    const path = await dataset('line', [
      { environment: game, prompt: game.prompt(), utilities: { '-': 1.5, '+': 9 } },
    ]);
    const { rate, pictures } = await storedRater(path, { seer: makeGymCards(game.id), palette: 'true' });
    expect(pictures).toBe(1);
    const [down, up] = ['-', '+'].map((action) => game.actions.indexOf(action));
    const before = game.state();
    expect([await rate(game, down!)(), await rate(game, up!)()]).toEqual([1.5, 9]);
    expect(game.state()).toEqual(before);
    // a step to the side, if possible, shows another number
    game.step(game.expert());
    expect(await rate(game, up!)()).toBeNull();
  });

  it("distinguish missions the picture does not show, for any size of the run's pictures", async () => {
    const id = 'MiniGrid-Fetch-5x5-N2-v0';
    const level = miniGrid(id);
    level.reset(1);
    const prompt = miniGridPrompt(level);
    const utilities = { 'turn left': 3, 'turn right': 4, 'move forward': 5, 'pick up': 6 };
    const [mine, other] = [prompt, prompt.replaceAll(level.text(), 'another mission')];
    const path = await dataset('missions', [
      { environment: level, prompt: other, utilities: { ...utilities, 'turn left': 0 } },
      { environment: level, prompt: mine, utilities },
    ]);
    const { rate } = await storedRater(path, { seer: miniGrid(id), palette: 'true' });
    const small = miniGrid(id, { tileSize: 8 });
    small.reset(1);
    expect(await rate(small, 0)()).toBe(3);
    // an action that the prompt does not offer
    expect(await rate(small, small.actions.indexOf('done'))()).toBeNull();
  });

  it('need no mission in the published prompts for wrapped colours', async () => {
    const level = miniGrid('MiniGrid-DoorKey-5x5-v0', { palette: 'legacy-wrapped' });
    level.reset(1);
    const prompt = miniGridPrompt(level, { palette: 'legacy-wrapped' });
    const path = await dataset('wrapped', [{ environment: level, prompt, utilities: { 'turn left': 3 } }]);
    const seer = miniGrid(level.id, { palette: 'legacy-wrapped' });
    const { rate } = await storedRater(path, { seer, palette: 'legacy-wrapped' });
    expect(await rate(level, 0)()).toBe(3);
  });

  it('are needed for the environment, and read before a run is made', async () => {
    const game = numberLine(0n);
    const bare = await dataset('bare', [{ environment: game, prompt: game.prompt() }]);
    await expect(storedRater(bare, { seer: makeGymCards(game.id), palette: 'true' })).rejects.toMatchObject({
      code: 'data',
    });
    const run = { env: game.id, policy: 'mlp', utilities: bare, out: join(folder, 'runs') };
    await expect(trainPpo(run)).rejects.toThrow('--utility-data: belongs to --utility');
    await expect(trainPpo({ ...run, shaping: { utility: 'reward' } })).rejects.toThrow('has no utilities');
  });
});

describe('a run that rates its steps by a dataset', () => {
  const settings = {
    env: 'gym_cards/NumberLine-v0',
    policy: 'mlp',
    play: { environmentSteps: 256, environments: 2, stepsPerUpdate: 64 },
    evaluation: { episodes: 0 },
    checkpointEvery: 1,
  };

  /** Pictures of the first steps of many episodes, with one score for everything. */
  async function scored(name: string, score: number): Promise<string> {
    const games = Array.from({ length: 60 }, (_, seed) => numberLine(BigInt(seed)));
    const utilities = { '-': score, '+': score };
    return dataset(
      name,
      games.map((environment) => ({ environment, prompt: environment.prompt(), utilities })),
    );
  }

  type Line = Readonly<Record<string, number | null>>;
  const linesOf = (run: string): Line[] =>
    readFileSync(join(run, 'metrics.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);

  it('earns by their scores in episodes that succeed, and by scores below 3 nothing', async () => {
    const out = join(folder, 'rated');
    const shaping = { utility: 'reward' as const };
    const runs = [
      await trainPpo({ ...settings, out }),
      await trainPpo({ ...settings, out, shaping, utilities: await scored('useless', 0) }),
      await trainPpo({ ...settings, out, shaping, utilities: await scored('useful', 10) }),
    ];
    const [plain, useless, useful] = runs.map((run) => linesOf(run.folder));
    expect(plain!.some((line) => 'rated_share' in line)).toBe(false);
    // some of the 60 first steps and their successors are met again, but not all
    for (const { rated_share: share } of useless!) {
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThanOrEqual(1);
    }
    const unrated = ({ rated_share: _share, ...line }: Line) => line;
    expect(useless!.map(unrated)).toEqual(plain);
    expect(useful!.map(unrated)).not.toEqual(plain);
  });

  it('warns if no step has a rating: the dataset has other pictures', async () => {
    const warnings: string[] = [];
    const listener = { warning: (line: string) => void warnings.push(line) };
    const level = miniGrid('MiniGrid-Empty-5x5-v0');
    level.reset(1);
    const [prompt, utilities] = [miniGridPrompt(level), { 'turn left': 3 }];
    const here = await dataset('here', [{ environment: level, prompt, utilities }]);
    const wrapped = miniGrid(level.id, { palette: 'legacy-wrapped' });
    wrapped.reset(1);
    const elsewhere = await dataset('elsewhere', [{ environment: wrapped, prompt, utilities }]);
    const shaping = { utility: 'advantage' as const };
    const given = { ...settings, env: level.id, shaping, out: join(folder, 'warned') };
    for (const path of [here, elsewhere]) {
      const run = await trainPpo({ ...given, utilities: path }, { ...plainHost(), listener });
      expect(linesOf(run.folder)[0]!.rated_share === 0).toBe(path === elsewhere);
    }
    expect(warnings).toEqual([
      expect.stringContaining(
        `--utility-data ${elsewhere}: matches no picture and action of the first update`,
      ),
    ]);
  });

  it('may truncate its episodes at another step than the environment', async () => {
    const level = miniGrid('MiniGrid-Empty-5x5-v0');
    level.reset(1);
    const utilities = Object.fromEntries(level.actions.map((action) => [action, 10]));
    const path = await dataset('limited', [
      { environment: level, prompt: miniGridPrompt(level, { palette: 'true' }), utilities },
    ]);
    const play = { ...settings.play, maxSteps: 7 };
    const shaping = { utility: 'advantage' as const };
    const given = { ...settings, env: level.id, play, shaping, utilities: path };
    const { outcome: state } = await trainPpo({ ...given, out: join(folder, 'limited-runs') });
    expect(state.environmentSteps).toBe(256);
  });

  it('resumes to the same bytes with the same scores, and refuses others', async () => {
    const utilities = await scored('kept', 10);
    const given = {
      ...settings,
      out: join(folder, 'resumed'),
      shaping: { utility: 'reward' as const },
      utilities,
    };
    const whole = await trainPpo(given);
    const stop = new AbortController();
    const listener = { reinforced: () => stop.abort() };
    let place = '';
    const hearing = { ...listener, run: (run: string) => void (place = run) };
    const stopped = trainPpo(given, { ...plainHost(), listener: hearing, signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    const path = join(utilities, 'train.json');
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, before.replace('"+":10', '"+":9'));
    await expect(resume(place)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining(
        'resuming needs the same content as run.json names, got utilities',
      ) as string,
    });
    writeFileSync(path, before);
    await resume(place);
    expect(contentOf(place)).toEqual(contentOf(whole.folder));
  });
});
