// Lint for the whole workspace: which part may import which, and the few habits that a machine can hold.
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/**
 * The directions, in one place. For every package: the siblings its sources may import (`core` is open to all) and
 * the third-party code they may use; `pure` packages use no `node:` module either. Tests, benchmarks, `tools/` and
 * `apps/` may import every package; nobody imports `apps/` or `tools/`. A row allows what is used and no more: a test compares.
 */
export const directions = {
  core: { imports: [], thirdParty: [], pure: true },
  platform: { imports: [], thirdParty: ['@noble/hashes', 'buffer', 'pathe'] },
  files: { imports: ['platform'], thirdParty: ['msgpackr'] },
  images: { imports: [], thirdParty: ['sharp', 'gifenc', 'oled-font-5x7'] },
  world: { imports: ['platform'], thirdParty: [] },
  prompt: { imports: [], thirdParty: ['tiktoken'], pure: true },
  postprocess: { imports: [], thirdParty: [], pure: true },
  reflexion: { imports: ['prompt', 'postprocess'], thirdParty: [], pure: true },
  buffers: { imports: ['files', 'platform'], thirdParty: [] },
  losses: { imports: [], thirdParty: [], pure: true },
  graph: { imports: ['platform'], thirdParty: ['onnxruntime-node', 'onnxruntime-web', 'protobufjs'] },
  'onnx-import': { imports: ['files', 'graph', 'platform'], thirdParty: [] },
  backbone: {
    imports: ['files', 'graph', 'platform'],
    thirdParty: ['@huggingface/jinja', '@huggingface/tokenizers'],
  },
  gguf: { imports: ['files', 'backbone'], thirdParty: ['@huggingface/gguf'] },
  model: { imports: ['files', 'backbone', 'graph', 'losses'], thirdParty: ['@tensorflow/*'] },
  'small-networks': { imports: ['graph', 'losses', 'onnx-import'], thirdParty: [] },
  'emma-tiny': { imports: [], thirdParty: [] },
  'tiny-models': { imports: [], thirdParty: [] },
  expert: { imports: ['files', 'prompt', 'postprocess'], thirdParty: ['openai', 'zod'] },
  runs: { imports: ['files'], thirdParty: ['yaml'] },
  pages: { imports: ['rollout'], thirdParty: ['preact', 'uplot'] },
  report: {
    imports: ['files', 'pages', 'runs', 'rollout'],
    thirdParty: ['yaml', 'hono', '@hono/node-server'],
  },
  queue: { imports: ['files'], thirdParty: ['bullmq', 'ioredis'] },
  downloads: { imports: ['files'], thirdParty: ['@huggingface/hub', 'undici', 'yauzl', 'tar', 'zod'] },
  bridge: {
    imports: ['files', 'images', 'lewis', 'pages', 'postprocess'],
    thirdParty: ['@modelcontextprotocol/sdk', 'hono', '@hono/node-server', 'undici', 'ws', 'zod'],
  },
  testing: { imports: [], thirdParty: [] },
  optim: { imports: [], thirdParty: [], pure: true },
  rollout: { imports: [], thirdParty: [], pure: true },
  'numpy-random': { imports: [], thirdParty: [], pure: true },
  minigrid: { imports: ['numpy-random', 'postprocess'], thirdParty: [], pure: true },
  'grid-games': { imports: ['numpy-random', 'postprocess'], thirdParty: [], pure: true },
  'gym-cards': { imports: ['numpy-random', 'postprocess'], thirdParty: ['oled-font-5x7'], pure: true },
  tabletop: { imports: ['numpy-random', 'postprocess'], thirdParty: [], pure: true },
  lewis: { imports: [], thirdParty: [], pure: true },
  vla: { imports: [], thirdParty: ['zod'], pure: true },
  curriculum: { imports: [], thirdParty: ['zod'], pure: true },
  rlds: { imports: ['files'], thirdParty: ['zod'] },
  algorithms: { imports: ['losses', 'buffers', 'optim', 'rollout'], thirdParty: ['zod'], pure: true },
  settings: {
    imports: [
      'algorithms',
      'backbone',
      'emma-tiny',
      'files',
      'lewis',
      'postprocess',
      'prompt',
      'runs',
      'small-networks',
      'tiny-models',
    ],
    thirdParty: ['zod'],
  },
  opening: {
    imports: [
      'algorithms',
      'backbone',
      'bridge',
      'curriculum',
      'expert',
      'files',
      'grid-games',
      'gym-cards',
      'images',
      'lewis',
      'minigrid',
      'model',
      'platform',
      'postprocess',
      'prompt',
      'queue',
      'reflexion',
      'rollout',
      'runs',
      'settings',
      'small-networks',
      'tabletop',
      'vla',
      'world',
    ],
    thirdParty: ['zod'],
  },
  workers: {
    imports: [
      'algorithms',
      'backbone',
      'files',
      'images',
      'losses',
      'model',
      'opening',
      'queue',
      'rollout',
      'runs',
      'settings',
      'world',
    ],
    thirdParty: [],
  },
  datasets: {
    imports: [
      'algorithms',
      'backbone',
      'expert',
      'files',
      'images',
      'model',
      'opening',
      'postprocess',
      'prompt',
      'rlds',
      'rollout',
      'runs',
      'settings',
      'vla',
      'workers',
    ],
    // hyparquet: in a program of its own
    thirdParty: ['hyparquet', 'hyparquet-compressors', 'zod'],
  },
  'model-folders': {
    imports: ['backbone', 'experiment', 'files', 'gguf', 'opening', 'rollout', 'runs', 'settings'],
    thirdParty: [],
  },
  'dry-run': {
    imports: ['datasets', 'experiment', 'files', 'opening', 'rollout', 'settings'],
    thirdParty: [],
  },
  experiment: {
    imports: [
      'files',
      'images',
      'world',
      'prompt',
      'postprocess',
      'reflexion',
      'buffers',
      'backbone',
      'model',
      'expert',
      'queue',
      'runs',
      'rollout',
      'algorithms',
      'bridge',
      'lewis',
      'curriculum',
      'settings',
      'opening',
      'workers',
      'datasets',
      'pages',
    ],
    thirdParty: ['zod'],
  },
};

const tag = (name) => `package:${name}`;

function constraint([name, { imports, thirdParty }]) {
  const siblings = name === 'core' ? [] : ['core', ...imports];
  return {
    sourceTag: tag(name),
    onlyDependOnLibsWithTags: siblings.map(tag),
    allowedExternalImports: thirdParty.flatMap((name) => [name, `${name}/*`]),
  };
}

const everyPackage = {
  sourceTag: '*',
  notDependOnLibsWithTags: [tag('cli'), tag('tools')],
};

const boundaries = (depConstraints, options = {}) => ({
  // a `#` names a file of the package itself, which a browser has in another form
  '@nx/enforce-module-boundaries': ['error', { depConstraints, allow: ['^#'], ...options }],
});

// Footgun: msgpackr's defaults corrupt Float32Array; `packages/files` holds the one coder that does not.
const noMsgpackr = { name: 'msgpackr', message: 'Use pack and unpack of @emac/files.' };
const noNode = { group: ['node:*'], message: 'This package is pure: it uses no node: module.' };

const noExportAll = {
  selector: 'ExportAllDeclaration[exported=null]',
  message: 'Exports are a promise: list them by name.',
};
const noRecursiveMkdir = {
  selector:
    'CallExpression:matches([callee.name=/^mkdir(Sync)?$/], [callee.property.name=/^mkdir(Sync)?$/]) Property[key.name="recursive"]',
  message: 'It never returns for some paths, such as those below /proc: use createFolder of @emac/files.',
};
const noSpreadLiteral = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the properties out: inside a spread nobody checks for unknown ones.',
};
const noProcessExit = {
  selector: "CallExpression[callee.object.name='process'][callee.property.name='exit']",
  message: 'Packages never exit: throw an EmacError.',
};
const noBareDate = {
  selector: "NewExpression[callee.name='Date'][arguments.length=0]",
  message: 'Clocks are passed in.',
};

const sources = ['packages/*/src/**/*.{ts,tsx}', 'packages/*/worker/**/*.mjs'];
const tests = ['**/*.test.ts', '**/*.test.*.ts', '**/*.bench.ts'];
const purePackages = Object.keys(directions).filter((name) => directions[name].pure);

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      'packages/pages/bundles/**',
      '.nx/**',
      'runs/**',
      'site/**',
      'packages/emma-tiny/model/**',
      'packages/tiny-models/*/model/**',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.recommended,
  {
    plugins: { '@nx': nx },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-debugger': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'max-params': ['error', 3],
      'max-lines': ['warn', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['warn', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-restricted-imports': ['error', { paths: [noMsgpackr] }],
      'no-restricted-syntax': ['error', noExportAll, noSpreadLiteral, noRecursiveMkdir],
      '@typescript-eslint/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      ...boundaries([everyPackage]),
    },
  },
  {
    files: sources,
    ignores: tests,
    rules: {
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'A Random of @emac/core is passed in.' },
        { object: 'Date', property: 'now', message: 'Clocks are passed in.' },
        { object: 'performance', property: 'now', message: 'Clocks are passed in.' },
      ],
      'no-restricted-syntax': [
        'error',
        noExportAll,
        noSpreadLiteral,
        noRecursiveMkdir,
        noProcessExit,
        noBareDate,
      ],
      ...boundaries(Object.entries(directions).map(constraint), { banTransitiveDependencies: true }),
    },
  },
  {
    files: purePackages.map((name) => `packages/${name}/src/**/*.ts`),
    ignores: tests,
    rules: { 'no-restricted-imports': ['error', { paths: [noMsgpackr], patterns: [noNode] }] },
  },
  // what users get: it imports the package by its name
  { files: ['packages/opening/templates/**'], rules: { '@nx/enforce-module-boundaries': 'off' } },
  { files: ['packages/files/**'], rules: { 'no-restricted-imports': 'off' } },
  {
    files: tests,
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      'max-params': 'off',
      'no-restricted-syntax': ['error', noExportAll, noSpreadLiteral],
    },
  },
  {
    files: ['**/{utils,util,helpers,common,misc}.ts'],
    rules: {
      'no-restricted-syntax': ['error', { selector: 'Program', message: 'Name the file after its idea.' }],
    },
  },
);
