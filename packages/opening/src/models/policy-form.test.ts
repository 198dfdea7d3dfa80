import { families } from '@emac/backbone';
import { modelFolder } from '@emac/emma-tiny';
import { speechSchema } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { requireFrameAlone, speechOf, type PolicyForm } from './policy-form.ts';

const nothing = speechSchema.parse({});
const familyNamed = (name: string) => families.find((family) => family.name === name)!;
const instructblip = familyNamed('instructblip');
const seeing = { files: { folder: 'emma', family: instructblip }, env: 'alfworld' };
const reading = { files: { folder: 'smollm', family: familyNamed('llama') }, env: 'alfworld' };
const thinking: PolicyForm = {
  projection: { kind: 'linear', hidden: null },
  generation: { beams: 3, minLength: 2, maxLength: 9 },
  text: { maxTokens: 200, thoughts: true, observe: 'image' },
  maxSteps: 4,
  admissibleOnly: false,
  visionNorm: null,
};

describe('how a policy speaks', () => {
  it("is its checkpoint's by default, thoughts included", () => {
    const { generation, text } = thinking;
    expect(speechOf(nothing, thinking, seeing)).toEqual({ generation, text });
    expect(speechOf({ ...nothing, beams: 1, maxPromptTokens: 100 }, thinking, seeing)).toEqual({
      generation: { ...generation, beams: 1 },
      text: { maxTokens: 100, thoughts: true, observe: 'image' },
    });
  });

  it('is without thoughts by default, without a checkpoint', () => {
    expect(speechOf(nothing, null, seeing).text.thoughts).toBe(false);
  });

  it("is in turns if that is given or the checkpoint's, and a message leaves no key", () => {
    const conversing = { ...thinking, text: { ...thinking.text, dialogue: 'turns' as const } };
    const turns = { ...nothing, dialogue: 'turns' as const };
    expect(speechOf(nothing, conversing, seeing).text.dialogue).toBe('turns');
    expect(speechOf(turns, thinking, seeing).text.dialogue).toBe('turns');
    expect(speechOf({ ...nothing, dialogue: 'message' }, conversing, seeing).text).not.toHaveProperty(
      'dialogue',
    );
    expect(nothing).not.toHaveProperty('dialogue');
  });

  it('is about frames alone for the shipped model in ALFWorld, and about both anywhere else', () => {
    const shipped = { files: { folder: modelFolder, family: instructblip }, env: 'alfworld' };
    expect(speechOf(nothing, null, shipped).text.observe).toBe('image');
    expect(speechOf(nothing, null, { ...shipped, env: './orchard.mjs' }).text.observe).toBe('both');
    expect(speechOf(nothing, null, seeing).text.observe).toBe('both');
    expect(speechOf({ ...nothing, observe: 'both' }, null, shipped).text.observe).toBe('both');
    const reader = { ...thinking, text: { ...thinking.text, observe: 'text' as const } };
    expect(speechOf(nothing, reader, shipped).text.observe).toBe('text');
  });

  it('is about texts alone for a model that reads text alone, and frames are refused', () => {
    expect(speechOf(nothing, null, reading).text.observe).toBe('text');
    expect(speechOf({ ...nothing, observe: 'text' }, null, reading).text.observe).toBe('text');
    for (const observe of ['image', 'both'] as const)
      expect(() => speechOf({ ...nothing, observe }, null, reading)).toThrow(
        `--observe ${observe}: smollm is a LLaMA model, which reads text alone; give --observe text, or leave it out`,
      );
  });
});

describe('a policy that is given frames and no contents', () => {
  it('gets no contents by any other setting', () => {
    const nothingElse = { policyMemory: false, admissibleOnly: false };
    requireFrameAlone('image', nothingElse);
    for (const observe of ['text', 'both'] as const)
      requireFrameAlone(observe, { policyMemory: true, admissibleOnly: true });
    expect(() => requireFrameAlone('image', { ...nothingElse, policyMemory: true })).toThrow(
      /^--student-memory: .*--observe image/,
    );
    expect(() => requireFrameAlone('image', { ...nothingElse, admissibleOnly: true })).toThrow(
      /^--admissible-only: .*--observe image/,
    );
  });
});
