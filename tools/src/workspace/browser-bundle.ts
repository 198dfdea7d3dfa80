/** Bundles a package for a browser, to see what of Node is left in it. */
import { join } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';

export interface BrowserBundle {
  /** bytes after minification */
  readonly bytes: number;
  /** modules of Node that the code still imports, each with one of its importers */
  readonly left: readonly string[];
}

/** Bundles all that the package's index exports. Errors: those of the bundler. */
export async function browserBundle(packages: string, name: string): Promise<BrowserBundle> {
  const left = new Map<string, string>();
  const bundle = await rolldown({
    input: join(packages, name, 'src/index.ts'),
    platform: 'browser',
    // loaded by name or by who needs a GPU, in files of their own
    external: [/^@tensorflow\//, 'onnxruntime-web/jspi'],
    resolve: { conditionNames: ['@emac/source', 'browser', 'import', 'default'] },
    plugins: [notingNode(left)],
    onLog: () => {},
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const sizes = output.map((each) => Buffer.byteLength('code' in each ? each.code : each.source));
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    left: [...left].map(([module, importer]) => `${module} in ${importer}`).sort(),
  };
}

function notingNode(left: Map<string, string>): Plugin {
  return {
    name: 'noting-node',
    resolveId: {
      filter: { id: /^node:/ },
      handler(id, importer = '') {
        left.set(id, importer.replace(/^.*\/(?=packages|node_modules)/, ''));
        return { id, external: true };
      },
    },
  };
}
