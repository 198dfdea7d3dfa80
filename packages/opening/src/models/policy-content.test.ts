import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { policyContent } from './policy-content.ts';

it('a network in a file is its bytes, one by name is its name', async () => {
  const file = join(temporaryFolder(), 'actor.onnx');
  writeFileSync(file, 'first');
  const first = await policyContent(file);
  writeFileSync(file, 'second');
  expect(await policyContent(file)).not.toBe(first);
  writeFileSync(file, 'first');
  expect(await policyContent(file)).toBe(first);
  expect(await policyContent('mlp')).toBe('mlp');
});
