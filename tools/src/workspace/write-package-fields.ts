/** Writes the shared fields into every published `package.json`: `npm run packages:fields`. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { fieldsOf, publishedFolders, sharedFields } from './package-fields.ts';
import { root } from './root.ts';

for (const folder of publishedFolders()) {
  const fields = { ...fieldsOf(folder), ...sharedFields(folder) };
  writeFileSync(`${root}${folder}/package.json`, `${JSON.stringify(fields, null, 2)}\n`);
  copyFileSync(`${root}LICENSE`, `${root}${folder}/LICENSE`);
}
