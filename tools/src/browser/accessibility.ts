/** axe-core's complaints about a page: names, roles, contrast, order, regions. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** A line for each rule that is violated and the first element that does. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run(document)')) as Found;
  return found.violations.map(
    ({ id, help, nodes }) => `${id}: ${help}; ${nodes.length} times, as ${nodes[0]!.html.slice(0, 200)}`,
  );
}
