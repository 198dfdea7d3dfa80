/**
 * Joins documents and API reference into one site (`npm run docs`). A document stands in the group of its folder, under
 * its heading. A package stands under its name, with its README. Links to README files lead to these pages.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import {
  Application,
  Comment,
  Converter,
  IndexEvent,
  MinimalSourceFile,
  PageEvent,
  ReflectionKind,
  StructureRouter,
  type Context,
  type DeclarationReflection,
  type NormalizedPath,
  type ProjectReflection,
  type Reflection,
} from 'typedoc';
import { packageNames, root } from '../workspace/root.ts';
import { finishedPage } from './page-html.ts';
import { addressOf, groupOf, headingOf, inOrderOf } from './site-places.ts';

/** Called by TypeDoc. */
export function load(app: Application): void {
  // before TypeDoc groups, sorts and links pages
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context: Context) => joined(app, context.project), 100);
  // exports of a package are listed on its page: beside every page they would be 2,000 lines
  const packages = packageNames().map((name) => `@emac/${name}`);
  app.on(Application.EVENT_BOOTSTRAP_END, () => app.options.setValue('navigationLeaves', packages));
  app.renderer.on(IndexEvent.PREPARE_INDEX, findDocumentsByFile);
  app.renderer.defineRouter('files', FileRouter);
  app.renderer.on(PageEvent.END, (page) => {
    if (page.contents !== undefined) page.contents = finishedPage(page.contents);
  });
}

/** A search for `workers` finds guides/workers.md, whatever its heading says, before a property of that name. */
function findDocumentsByFile(event: IndexEvent): void {
  event.searchFieldWeights['file'] = 400;
  for (const [place, page] of event.searchResults.entries()) {
    const path = page.isDocument() ? pathOf(page.project, page) : null;
    if (path !== null) event.searchFields[place] = { file: basename(addressOf(path)).replaceAll('-', ' ') };
  }
}

/** Documents have the addresses of their files, packages and their exports those of the structure. */
class FileRouter extends StructureRouter {
  protected override getIdealBaseName(page: Reflection): string {
    const path = page.isDocument() ? pathOf(page.project, page) : null;
    return path === null ? super.getIdealBaseName(page) : addressOf(path);
  }
}

function joined(app: Application, project: ProjectReflection): void {
  lead(project, '', project);
  lead(project, 'README.md', project);
  for (const page of project.getReflectionsByKind(ReflectionKind.Module))
    if (page.isDeclaration()) describePackage(app, project, page);
  const paths: string[] = [];
  for (const page of project.documents ?? []) {
    const path = pathOf(project, page)!;
    paths.push(path);
    if (path.endsWith('/README.md')) lead(project, dirname(path), page);
    page.name = headingOf(readFileSync(`${root}${path}`, 'utf8')) ?? page.name;
    page.frontmatter['category'] = groupOf(path);
  }
  const index = { path: 'docs/README.md', text: readFileSync(`${root}docs/README.md`, 'utf8') };
  const order = inOrderOf(index, paths);
  const place = (page: Reflection) =>
    page.isDocument() ? order.indexOf(pathOf(project, page)!) : order.length;
  project.documents?.sort((one, other) => place(one) - place(other));
  project.childrenIncludingDocuments?.sort((one, other) => place(one) - place(other));
}

/** Names the module of `packages/x/src`, and shows the README and the description of the package. */
function describePackage(app: Application, project: ProjectReflection, page: DeclarationReflection): void {
  const folder = page.name.replace(/\/src(\/index)?$/, '');
  const manifest = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')) as {
    name: string;
    description: string;
  };
  page.name = manifest.name;
  page.comment ??= new Comment([{ kind: 'text', text: manifest.description }]);
  const path = `${folder}/README.md`;
  // the page has a heading
  const text = readFileSync(`${root}${path}`, 'utf8').replace(/^# .+\n/, '');
  const file = new MinimalSourceFile(text, `${root}${path}` as NormalizedPath);
  page.readme = app.converter.parseRawComment(file, project.files).content;
  lead(project, folder, page);
  lead(project, path, page);
}

/** Links to this path, from the repository's root, lead to the page. */
function lead(
  project: ProjectReflection,
  path: string,
  page: Parameters<typeof project.files.registerReflectionPath>[1],
) {
  project.files.registerReflectionPath(`${root}${path}`.replace(/\/$/, '') as NormalizedPath, page);
}

function pathOf(project: ProjectReflection, page: Reflection): string | null {
  const path = project.files.getReflectionPath(page);
  return path === undefined ? null : relative(root, path);
}
