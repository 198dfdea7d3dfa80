/** Parts of OpenVLA outside the comparison folders: timm's own sizes, padded and cropped pictures, the prompt, rejected settings. */
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { checkModel } from '../check/model-check.ts';
import { fieldsOf } from '../files/json-object.ts';
import { openModelFiles } from '../files/model-files.ts';
import { loadTokenizer } from '../files/tokenizer.ts';
import { openVlaActions } from './openvla-actions.ts';
import { openVla } from './openvla.ts';
import { loadPrismaticProcessor } from './pictures/prismatic-processor.ts';
import { timmEye, timmTensors } from './timm-eyes.ts';

const fixtures = new URL('../../fixtures/', import.meta.url).pathname;
const folder = join(fixtures, 'families', 'openvla');

interface TimmsOwn {
  readonly imageSize: number;
  readonly depth: number;
  readonly heads: number;
  readonly normEpsilon: number;
  readonly positionsOfPatchesAlone: boolean;
  readonly shapes: Readonly<Record<string, readonly number[]>>;
}

/** As timm 0.9.10 makes them (`tools/reference/write_openvla_fixtures.py --eyes`). */
const timms = JSON.parse(readFileSync(join(fixtures, 'timm-eyes.json'), 'utf8')) as Record<string, TimmsOwn>;

describe('vision encoders of Prismatic models', () => {
  it.each(Object.entries(timms))('%s has the tensors that timm makes', (id, own) => {
    const { imageSize, depth, heads, normEpsilon } = own;
    const config = timmEye(
      { id, imageSize, activation: null, given: undefined },
      fieldsOf({}, 'config.json'),
    );
    expect(config).toMatchObject({ layers: depth - 1, heads, normEpsilon });
    expect(config.positions).toBe(own.positionsOfPatchesAlone ? 'patches' : 'all');
    const expected = Object.entries(own.shapes)
      // the head, its pooling, and the last norm are not read; scales have the published code's name
      .filter(([name]) => !/^(norm|fc_norm|attn_pool)\./.test(name))
      .map(([name, shape]) => [`eye.${name.replace('.gamma', '.scale_factor')}`, shape] as const);
    const ours = timmTensors('eye', config).filter(([name]) => !/blocks\.[1-9]/.test(name));
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(expected));
  });
});

describe('the published model', () => {
  it('has as many parameters as its files say', () => {
    const ids = ['vit_large_patch14_reg4_dinov2.lvd142m', 'vit_so400m_patch14_siglip_224'];
    const config = openVla.config(
      {
        timm_model_ids: ids,
        image_sizes: [224, 224],
        llm_backbone_id: 'llama2-7b-pure',
        text_config: { model_type: 'llama', vocab_size: 32064 },
      },
      'config.json',
    );
    const sizeOf = (shape: readonly (number | null)[]) =>
      shape.reduce<number>((all, each) => all * (each ?? 32064), 1);
    const read = [...openVla.tensors(config, { text: true }).values()].reduce(
      (sum, shape) => sum + sizeOf(shape),
      0,
    );
    // the last layer of each encoder, as large as the first, its last norm, and its head's pooling
    const unread = ids
      .flatMap((id) => Object.entries(timms[id]!.shapes))
      .filter(([name]) => /^(blocks\.0|norm|attn_pool)\./.test(name))
      .reduce((sum, [, shape]) => sum + sizeOf(shape), 0);
    // total_size of openvla-7b's model.safetensors.index.json, two bytes each
    expect(2 * (read + unread)).toBe(15_082_474_368);
  });
});

interface Eyes {
  readonly strategy: string;
  readonly means: readonly (readonly number[])[];
}

/** A processor for encoders of 4 × 4 pixels: byte / 255 less the mean. */
function processorOf({ strategy, means }: Eyes) {
  const file = join(mkdtempSync(join(tmpdir(), 'emac-openvla-')), 'preprocessor_config.json');
  const config = {
    image_resize_strategy: strategy,
    input_sizes: means.map(() => [3, 4, 4]),
    interpolations: means.map(() => 'bicubic'),
    means,
    stds: means.map(() => [1, 1, 1]),
  };
  writeFileSync(file, JSON.stringify(config));
  return loadPrismaticProcessor(
    file,
    means.map(() => 4),
  );
}

/** Bytes of the red channel, where the mean is 0, row by row. */
function bytesOf(pixels: Float32Array): number[][] {
  return [0, 4, 8, 12].map((start) =>
    Array.from(pixels.slice(start, start + 4), (each) => Math.round(each * 255)),
  );
}

/** Each pixel's number is its column, in steps of 10. */
function columns(width: number, height: number) {
  const data = Uint8Array.from(
    { length: width * height * 3 },
    (_, place) => 10 * (Math.floor(place / 3) % width),
  );
  return { width, height, data };
}

describe('pictures of OpenVLA', () => {
  it("are centred on the last encoder's mean colour, and normalised per encoder", () => {
    const process = processorOf({
      strategy: 'letterbox',
      means: [
        [0, 0, 0],
        [0.5, 0.25, 0],
      ],
    });
    const pixels = process(columns(4, 2));
    const row = [0, 10, 20, 30];
    // 0.5 · 255 = 127.5, cut to 127
    const border = [127, 127, 127, 127];
    expect(bytesOf(pixels)).toEqual([border, row, row, border]);
    // the second encoder's red: less 0.5
    expect(pixels[3 * 16]).toBeCloseTo(127 / 255 - 0.5, 6);
    // its green: 0.25 · 255 = 63.75, cut, less 0.25
    expect(pixels[4 * 16]).toBeCloseTo(63 / 255 - 0.25, 6);
    expect(pixels.length).toBe(6 * 16);
  });

  it.each([
    // (6 − 4) / 2 = 1
    [6, [10, 20, 30, 40]],
    // (5 − 4) / 2 = 0.5 and (7 − 4) / 2 = 1.5, halves to the even number
    [5, [0, 10, 20, 30]],
    [7, [20, 30, 40, 50]],
  ])('are cropped to their middle (%i wide)', (width, row) => {
    const pixels = processorOf({ strategy: 'resize-crop', means: [[0, 0, 0]] })(columns(width, 4));
    expect(bytesOf(pixels)).toEqual([row, row, row, row]);
  });

  it('are rejected if the file is for other encoders or resizes differently', () => {
    const file = join(folder, 'preprocessor_config.json');
    expect(() => loadPrismaticProcessor(file, [28])).toThrow(/input_sizes must be \[\[3,28,28\]\]/);
    expect(() => processorOf({ strategy: 'stretch', means: [[0, 0, 0]] })).toThrow(
      /must be resize-naive, letterbox/,
    );
  });
});

describe('a prompt of OpenVLA', () => {
  const files = openModelFiles(folder);
  const tokenizer = loadTokenizer(files.companions.tokenizer);
  const prompts = openVla.prompts(files as never, tokenizer);
  const blank = tokenizer.tokenId('▁')!;

  it('lower-cases the action, ends with the blank, and has the patches after the begin token', () => {
    const { tokens, before } = prompts.turn('Open THE Drawer', 1);
    expect(tokens[0]).toBe(tokenizer.beginToken);
    expect(tokens.at(-1)).toBe(blank);
    const asked = 'In: What action should the robot take to open the drawer?\nOut:';
    expect(tokenizer.decode(tokens.slice(1, -1))).toBe(asked);
    const { order } = prompts.layout({ tokens, before }, [{ tokens: 3 }]);
    expect([...order.slice(0, 6)]).toEqual([3, 0, 1, 2, 4, 5]);
    for (const whole of [asked, `${asked} `]) expect(prompts.turn(whole, 1).tokens).toEqual(tokens);
  });

  it('gets an answer of action tokens, each a number', () => {
    const { vocabulary } = openVlaActions(files);
    const ids = [vocabulary - 1, vocabulary - 64, vocabulary - 7];
    expect(prompts.answer('open the drawer', tokenizer.decode(ids))).toEqual(ids);
  });
});

describe("OpenVLA's action settings", () => {
  it('are read beside the model', () => {
    const actions = openVlaActions(openModelFiles(folder));
    // 340 pieces and 64 actions; 64 more rows pad the table
    expect(actions).toMatchObject({ bins: 64, vocabulary: 404 });
    expect(actions.normStats).toMatchObject({
      drawn: { action: { mask: [true, true, true, true, true, true, false] } },
    });
    const other = openModelFiles(join(fixtures, 'families', 'qwen2_vl'));
    expect(() => openVlaActions(other)).toThrow(/must be an OpenVLA model for this, got a Qwen2-VL model/);
  });
});

describe('a folder of OpenVLA', () => {
  const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as object;
  const read = (changes: object) => openVla.config({ ...config, ...changes }, 'config.json');

  it('is checked as a whole', () => {
    const { parts, missing, prompt, layers } = checkModel(folder);
    expect(missing).toEqual([]);
    expect(layers).toBe('resident');
    // encoders of width 24 and 20: 44 → 176 → 24 → 24
    expect(parts[1]!.parameters).toBe(44 * 176 + 176 + 176 * 24 + 24 + 24 * 24 + 24);
    expect(prompt.visual).toBe(16);
  });

  it('lacks its processor', () => {
    const to = mkdtempSync(join(tmpdir(), 'emac-openvla-'));
    cpSync(folder, to, { recursive: true, filter: (name) => !name.endsWith('preprocessor_config.json') });
    expect(checkModel(to).missing).toEqual([
      `${to}/preprocessor_config.json: does not exist; copy it from the published model`,
    ]);
  });

  it.each([
    [
      { timm_model_ids: ['resnet50', 'x'], timm_model_args: [] },
      /timm_model_ids must be of vit_large_patch14_reg4/,
    ],
    [
      { timm_model_ids: ['vit_large_patch14_reg4_dinov2.lvd142m'] },
      /timm_model_ids must name two vision encoders/,
    ],
    [{ image_sizes: [28, 35] }, /image_sizes must be the same for both vision encoders/],
    [{ image_sizes: [28] }, /image_sizes must be a list of sides/],
    [{ timm_override_act_layers: ['relu', null] }, /timm_override_act_layers must be null or of gelu/],
    [{ llm_backbone_id: 'phi-2-3b' }, /llm_backbone_id must be a LLaMA/],
  ])('is rejected with %j', (changes, message) => {
    expect(() => read(changes)).toThrow(message);
  });
});
