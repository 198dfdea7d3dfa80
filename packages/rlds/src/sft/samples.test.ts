import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from '@emac/files';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataset } from '../dataset/open-dataset.ts';
import { stepsOf } from '../mixture/mixed-steps.ts';
import { episodes, usualLayout, type StepLayout } from '../steps/episodes.ts';
import { sftSamples, type ActionLabel, type SampleOptions } from './samples.ts';
import { writeSftFolder } from './sft-folder.ts';

const dataset = openDataset(fileURLToPath(new URL('../../fixtures/tabletop', import.meta.url)));
const statistics = { low: -2 };

const options: SampleOptions<typeof statistics, string> = {
  prompt: (instruction) => `To ${instruction.toLowerCase()}?`,
  label: (action, { low }) => `${action.length} from ${low}: ${action[0]}`,
};

function samples<Label extends ActionLabel>(
  given: SampleOptions<typeof statistics, Label>,
  layout: StepLayout = usualLayout,
) {
  return sftSamples(
    stepsOf({ dataset: 'tabletop', statistics, episodes: () => episodes(dataset, 'train', layout) }),
    given,
  );
}

async function list<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

const trained = async () =>
  (await list(episodes(dataset, 'train'))).flatMap(({ number, steps }) =>
    steps.map((step) => ({ number, step })),
  );

describe('samples', () => {
  it("have every step's picture, the instruction's prompt and the action's label", async () => {
    const expected = (await trained()).map(({ number, step }) => ({
      image: step.image,
      text: `To ${step.instruction!.toLowerCase()}?`,
      output: `7 from -2: ${step.action[0]}`,
      dataset: 'tabletop',
      episode: number,
      step: step.index,
    }));
    expect(expected).toHaveLength(2 + 3 + 4 + 2);
    expect(await list(samples(options))).toEqual(expected);
  });

  it('may have token ids as labels', async () => {
    const [first] = await list(samples({ ...options, label: () => [31744, 31999] }));
    expect(first!.output).toEqual([31744, 31999]);
  });

  it.each(['image', 'instruction'])('need an %s', async (part) => {
    await expect(list(samples(options, { ...usualLayout, [part]: null }))).rejects.toMatchObject({
      code: 'data',
      message: 'tabletop: episode 0, step 0: must have a picture and an instruction; name both in the layout',
    });
  });
});

describe('a folder for emac sft', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sft-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('has a list of records and their pictures', async () => {
    const target = join(folder, 'data');
    expect(await writeSftFolder(target, samples(options))).toBe(11);
    const records = JSON.parse(readFileSync(join(target, 'train.json'), 'utf8')) as {
      readonly image: string;
    }[];
    const steps = await trained();
    expect(records).toEqual(
      steps.map(({ number, step }) => ({
        image: `images/${sha256(step.image!)}.jpg`,
        text_input: `To ${step.instruction!.toLowerCase()}?`,
        text_output: `7 from -2: ${step.action[0]}`,
        task_type: 'tabletop',
        game_id: `tabletop/${number}`,
        verbatim: true,
      })),
    );
    for (const [place, { image }] of records.entries())
      expect(Uint8Array.from(readFileSync(join(target, image)))).toEqual(steps[place]!.step.image);
  });

  it('takes the requested number', async () => {
    const target = join(folder, 'data');
    expect(await writeSftFolder(target, samples(options), { limit: 3 })).toBe(3);
    expect(JSON.parse(readFileSync(join(target, 'train.json'), 'utf8'))).toHaveLength(3);
    expect(readdirSync(join(target, 'images'))).toHaveLength(3);
  });

  it('does not exist after an error', async () => {
    const target = join(folder, 'data');
    await expect(writeSftFolder(target, samples({ ...options, label: () => ' ' }))).rejects.toMatchObject({
      code: 'data',
    });
    await expect(writeSftFolder(target, (async function* () {})())).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('has no samples') as string,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('stores a repeated picture once', async () => {
    await expect(writeSftFolder(folder, samples(options))).rejects.toMatchObject({ code: 'cannot-create' });
  });
});
