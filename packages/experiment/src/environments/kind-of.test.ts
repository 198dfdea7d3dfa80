/** A new family of environments needs only its entry in the list. */
import { openedWorld, seededTasks, type EnvironmentKind, type LocalWorld } from '@emac/core';
import { environmentCollectionConfig, episodesOf } from '@emac/datasets';
import {
  beginsAsEnvironment,
  environmentId,
  isPlayedElsewhere,
  kindOf,
  kinds,
  languageTexts,
  localWorld,
  ppoEnvironment,
  scriptedPlayer,
  scriptedRater,
} from '@emac/opening';
import { wordsSpeech } from '@emac/postprocess';
import { corridor } from '@emac/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ppoConfig } from '../reinforcement/given-config.ts';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';

type Corridor = ReturnType<typeof corridor>;

const toyKind: EnvironmentKind = {
  name: 'toy',
  about: 'a corridor',
  ids: ['toy/Corridor', 'toy/Silent'],
  idOf: (name) => toyKind.ids.find((id) => id === name) ?? null,
  local: (id) => (id === 'toy/Corridor' ? spoken : silent),
  open: async (id, settings) => toyKind.local!(id).open(settings),
};

const silent: LocalWorld<Corridor> = {
  id: 'toy/Silent',
  actions: ['left', 'right'],
  offered: [0, 1],
  maxSteps: 12,
  tasks: seededTasks('toy/Silent'),
  make: ({ maxSteps }) => ({ ...corridor({ limit: maxSteps ?? 12 }), id: 'toy/Silent' }),
  open: (settings) => openedWorld(silent, settings, () => expect.unreachable()),
  expert: () => 1,
};

const spoken: LocalWorld<Corridor> & Required<Pick<LocalWorld<Corridor>, 'words'>> = {
  ...silent,
  id: 'toy/Corridor',
  tasks: seededTasks('toy/Corridor'),
  make: (settings) => ({ ...silent.make(settings), id: 'toy/Corridor' }),
  open: (settings) => openedWorld(spoken, settings, wordsSpeech(spoken, settings)),
  judge: (_, action) => () => (action === 1 ? 'useful' : 'useless'),
  words: {
    asksActionOnly: true,
    asksScores: false,
    isAllInText: true,
    prompt: ({ text }) => `${text} Where do you go?`,
    answer: (made, action) => `{"thoughts": "${made.text()}", "action": "${made.actions[action]}"}`,
  },
  numbers: {
    inputs: [{ array: 'cell', encode: 'one-hot', size: 1, categories: [5] }],
    found: { network: { play: { environments: 4, environmentSteps: 512 } } },
  },
};

// one line in the list, and nothing else
const list = kinds as EnvironmentKind[];
beforeAll(() => void list.push(toyKind));
afterAll(() => void list.splice(list.indexOf(toyKind), 1));

const folder = temporaryFolder();

describe('a name', () => {
  it.each([
    ['minigrid', /is a kind of environment; give one environment, such as MiniGrid-Empty-5x5-v0, /],
    ['cards', /is a kind of environment; give one environment, such as gym_cards\/NumberLine-v0, /],
    ['ALFWorld', /is not an environment; did you mean alfworld\?/],
    ['numberline', /is not an environment; did you mean gym_cards\/NumberLine-v0\?/],
  ])('that is mistyped, such as %s, gets a suggestion', (name, said) => {
    expect(() => environmentId(name)).toThrow(said);
  });

  it('is known by its kind, in the forms that the kind takes', () => {
    expect(environmentId('NumberLine')).toBe('gym_cards/NumberLine-v0');
    expect(kindOf('MiniGrid-Empty-5x5').name).toBe('minigrid');
    expect(kindOf('tabletop/goal/3').name).toBe('tabletop');
    expect(kindOf('libero_90/89').name).toBe('libero');
    expect(['libero_10', 'tabletop/goal', 'nothing'].map(isPlayedElsewhere)).toEqual([true, false, false]);
  });

  it('that is unknown gets similar ids of every kind', () => {
    const nearTo = (name: string) => {
      try {
        return environmentId(name);
      } catch (thrown) {
        return (thrown as Error).message;
      }
    };
    expect(nearTo('EZPoint')).toMatch(/similar ones are gym_cards\/EZPoints-v0/);
    expect(nearTo('libero_gaol')).toMatch(/similar ones are libero_goal/);
    expect(nearTo('toy/Coridor')).toBe(
      'toy/Coridor: is not an environment; similar ones are toy/Corridor, toy/Silent, alfworld; no package of this name is installed here',
    );
  });

  it('may have the prefix of a kind and still not be an environment', () => {
    const names = ['minigrid-nothing', 'gym_cards/x', 'toy/x', 'builtin:train/0', 'mini'];
    expect(names.map(beginsAsEnvironment)).toEqual([true, true, true, false, false]);
  });
});

describe('a family that only the list knows', () => {
  it('is played, prompted and rated by its own kind', async () => {
    const player = scriptedPlayer('toy/Corridor', { maxSteps: 5, palette: 'true' });
    player.environment.reset(0);
    expect(player.prompt({})).toMatch(/^You are in cell \d of 5\. Where do you go\?$/);
    expect(player.answer(player.expert(), { concludes: true, actionOnly: false })).toContain('"right"');
    const texts = languageTexts({
      environment: player.environment,
      palette: 'true',
      actionOnly: false,
      actionScores: false,
      encode: () => Promise.resolve({ data: new Float32Array(1), key: '' }),
      tokenTexts: () => [],
    });
    const seen = { text: 'Here.', arrays: {}, frame: player.environment.frame() };
    expect(await texts.prompt(seen)).toContainEqual({ kind: 'text', text: 'Here. Where do you go?' });
    const answer = { text: '{"action": "left"}', tokens: [], logProbabilities: [] };
    expect(texts.read(answer, null).action).toBe(0);
    const rate = scriptedRater('toy/Corridor');
    expect([0, 1].map((action) => rate(player.environment, action)())).toEqual([0, 10]);
  });

  it('is collected and trained on, with the numbers that were found for it', async () => {
    const config = ppoConfig({
      env: 'toy/Corridor',
      policy: 'mlp',
      evaluation: { episodes: 0 },
      out: folder,
    });
    expect(config.play).toMatchObject({ environments: 4, environmentSteps: 512 });
    const { outcome } = await trainPpo(config);
    expect(outcome.environmentSteps).toBe(512);
    const given = { env: 'toy/Corridor', out: folder, randomActions: 0 };
    const played = new Set<string>();
    for await (const { texts } of episodesOf(environmentCollectionConfig(given)).play(0))
      played.add((JSON.parse(texts.text_output) as { action: string }).action);
    expect(played).toEqual(new Set(['right']));
  });

  it('is not treated as a card game without its own settings', () => {
    const id = 'toy/Silent';
    expect(() => scriptedPlayer(id, { maxSteps: null, palette: 'true' })).toThrow(/has no prompt/);
    expect(() => scriptedRater(id)).toThrow(/toy\/Silent has no step ratings/);
    expect(() => ppoConfig({ env: id })).toThrow(/no small network has been trained for/);
    expect(() => languageTexts({ environment: { id, actions: [] } } as never)).toThrow(/has no prompt/);
    expect(ppoEnvironment(ppoConfig({ env: id, policy: 'mlp' })).actions).toEqual(['left', 'right']);
    expect(() => localWorld('libero_goal')).toThrow(/is played by a client only/);
  });
});
