/** What a page of the site gets after TypeDoc, and what the check of the site asks of it. */

/** TypeDoc's page, mended for browsers that read from disk and for screen readers. */
export function finishedPage(page: string): string {
  return accessible(openedFromDisk(page));
}

/**
 * A page whose folder links lead to the page inside: a server would resolve them, a browser reading from disk does not.
 */
export function openedFromDisk(page: string): string {
  return page.replace(/href="((?:\.\.?\/)+)(#[^"]*)?"/g, (_, folder: string, place = '') => {
    return `href="${folder}index.html${place}"`;
  });
}

/** Landmarks, headings in order, no link inside a button, and tables that scroll by keyboard. */
function accessible(page: string): string {
  return page
    .replace('<div class="col-content">', '<div class="col-content" role="main">')
    .replace('<div class="col-sidebar">', '<div class="col-sidebar" role="complementary">')
    .replace(/<h5( class="tsd-index-heading[^>]*)>([^<]*)<\/h5>/g, '<h2$1>$2</h2>')
    .replace(/<summary.*?<\/summary>/gs, (summary) =>
      summary.replace(/<a [^>]*class="tsd-anchor-icon".*?<\/a>/gs, ''),
    )
    .replace(/<th><\/th>/g, '<td></td>')
    .replace(/<table>/g, '<table tabindex="0">');
}

/** What a browser's accessibility check would say of this page, as far as the text shows it. */
export function pageFaults(page: string): string[] {
  const count = (pattern: RegExp) => [...page.matchAll(pattern)].length;
  const faults: string[] = [];
  if (count(/role="main"|<main[ >]/g) !== 1) faults.push('not one main landmark');
  if (count(/<h1[ >]/g) !== 1) faults.push(`${count(/<h1[ >]/g)} headings of level 1`);
  if (count(/<th><\/th>/g) > 0) faults.push('an empty table heading');
  if (count(/<img (?![^>]*alt=)/g) > 0) faults.push('an image without alternative text');
  const summaries = [...page.matchAll(/<summary.*?<\/summary>/gs)].map(([summary]) => summary);
  if (summaries.some((summary) => summary.includes('<a '))) faults.push('a link inside a summary');
  return faults;
}
