import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { imageProcessorFile, readImageProcessor } from './image-processor-file.ts';

function folderWith(files: Readonly<Record<string, object>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'emac-processor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, object] of Object.entries(files))
    writeFileSync(join(folder, name), JSON.stringify(object));
  return folder;
}

const settings = (folder: string) => readImageProcessor(imageProcessorFile(folder));

it('the settings of a picture come from a processor of transformers 5, else from the older file', () => {
  const [newer, older] = [{ size: { height: 17, width: 17 } }, { size: { height: 24, width: 24 } }];
  const nested = { image_processor: newer, processor_class: 'LlavaProcessor' };
  expect(settings(folderWith({ 'processor_config.json': nested }))).toEqual(newer);
  expect(settings(folderWith({ 'preprocessor_config.json': older }))).toEqual(older);
  // AutoImageProcessor of transformers 5 prefers the nested settings
  expect(
    settings(folderWith({ 'processor_config.json': nested, 'preprocessor_config.json': older })),
  ).toEqual(newer);
  // transformers 4 writes a processor's own settings beside those of pictures
  expect(
    settings(folderWith({ 'processor_config.json': { patch_size: 14 }, 'preprocessor_config.json': older })),
  ).toEqual(older);
});

it('neither file is a missing file, and settings of another kind are refused', () => {
  expect(() => settings(folderWith({}))).toThrow(
    /preprocessor_config\.json: does not exist; copy it from the published model/,
  );
  expect(() => settings(folderWith({ 'processor_config.json': { image_processor: 'Siglip' } }))).toThrow(
    /processor_config\.json: image_processor must be an object, got "Siglip"/,
  );
});
