/** Episodes of a dataset written by TensorFlow Datasets, compared with its own reading. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openDataset, type Dataset } from '../dataset/open-dataset.ts';
import { tensorFeature, type Value } from '../features/feature.ts';
import { episodes, usualLayout, type RldsEpisode } from './episodes.ts';
import { rldsFeatures } from './rlds-features.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const dataset = openDataset(`${fixtures}tabletop`);

interface ExpectedStep {
  readonly observation: { readonly state: { values: number[] }; readonly joint_state: { values: number[] } };
  readonly action: { values: number[] };
  readonly reward: number;
  readonly discount: number;
  readonly is_first: boolean;
  readonly is_last: boolean;
  readonly is_terminal: boolean;
  readonly language_instruction: string;
}
interface ExpectedEpisode {
  readonly episode_metadata: { readonly file_path: string };
  readonly steps: readonly ExpectedStep[];
}

const { splits } = JSON.parse(readFileSync(`${fixtures}expected.json`, 'utf8')) as {
  readonly splits: { readonly train: readonly ExpectedEpisode[] };
};

async function all(source: AsyncIterable<RldsEpisode>): Promise<RldsEpisode[]> {
  const found: RldsEpisode[] = [];
  for await (const episode of source) found.push(episode);
  return found;
}

describe('episodes', () => {
  it('have steps with states, actions, instructions, rewards and flags', async () => {
    const found = await all(episodes(dataset, 'train'));
    expect(found.map(({ number, filePath }) => [number, filePath])).toEqual(
      splits.train.map(({ episode_metadata }, number) => [number, episode_metadata.file_path]),
    );
    for (const [number, { steps }] of found.entries())
      expect(
        steps.map(({ image: _, values: __, ...step }) => step),
        `episode ${number}`,
      ).toEqual(
        splits.train[number]!.steps.map((step, index) => ({
          index,
          state: Float32Array.from(step.observation.state.values),
          action: Float32Array.from(step.action.values),
          instruction: step.language_instruction,
          reward: step.reward,
          discount: step.discount,
          isFirst: step.is_first,
          isLast: step.is_last,
          isTerminal: step.is_terminal,
        })),
      );
  });

  it("have pictures with the file's bytes", async () => {
    const layout = { ...usualLayout, image: 'observation/wrist_image' };
    const [[jpeg], [png]] = [
      await all(episodes(dataset, 'val')),
      await all(episodes(dataset, 'val', layout)),
    ];
    expect(Buffer.from(jpeg!.steps[0]!.image!.subarray(0, 3)).toString('hex')).toBe('ffd8ff');
    expect(Buffer.from(png!.steps[0]!.image!.subarray(0, 4)).toString('latin1')).toBe('\x89PNG');
  });

  it("have the layout's parts, several joined in order", async () => {
    const state = ['observation/joint_state', 'observation/state', 'mode'];
    const layout = {
      ...usualLayout,
      image: null,
      instruction: null,
      state,
      action: 'observation/joint_state',
    };
    const [{ steps }] = (await all(episodes(dataset, 'train', layout))) as [RldsEpisode];
    const { joint_state, state: whole } = splits.train[0]!.steps[1]!.observation;
    expect(steps[1]).toMatchObject({
      image: null,
      instruction: null,
      action: Float32Array.from(joint_state.values),
    });
    // the fixture's mode is −1 − index
    expect(steps[1]!.state).toEqual(Float32Array.of(...joint_state.values, ...whole.values, -2));
  });

  it.each([
    ['image', 'observation/front', 'steps have no observation/front, only boxes, cloud, depth, image,'],
    ['action', 'action/x', 'steps have no action/x, only parts without parts'],
  ])('of a layout whose %s is %s are rejected at once', (part, path, message) => {
    const opening = () => episodes(dataset, 'train', { ...usualLayout, [part]: path });
    expect(opening).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(opening).toThrow(message);
  });

  it('with another type for a picture, text or number are rejected', async () => {
    for (const wrong of [{ image: 'action' }, { instruction: 'mode' }, { state: 'language_instruction' }])
      await expect(all(episodes(dataset, 'train', { ...usualLayout, ...wrong }))).rejects.toMatchObject({
        code: 'data',
        message: expect.stringMatching(/record 0, step 0: \w+: must be a /) as string,
      });
  });

  it('need steps', () => {
    const plain: Dataset = {
      ...dataset,
      features: { kind: 'dict', features: { steps: tensorFeature('float32', [3]) } },
    };
    expect(() => episodes(plain, 'train')).toThrow(expect.objectContaining({ code: 'data' }));
  });

  it('without reward and discount have null', async () => {
    const features = rldsFeatures({ observation: {}, action: tensorFeature('float32') });
    const step: Value = { action: 2, is_first: true, is_last: true, is_terminal: false };
    const made: Dataset = {
      ...dataset,
      features,
      async *examples() {
        yield { value: { steps: [step] }, place: 'made' };
      },
    };
    const layout = { image: null, state: null, instruction: null, action: 'action' };
    const [episode] = await all(episodes(made, 'train', layout));
    expect(episode).toMatchObject({
      filePath: null,
      steps: [{ reward: null, discount: null, action: Float32Array.of(2) }],
    });
  });
});
