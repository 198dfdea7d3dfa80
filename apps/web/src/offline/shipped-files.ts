/** The files of this site: its builder puts them here. */

/** SHA-256 of each, by its path from the site's folder */
export const files: Readonly<Record<string, string>> = {};
/** those of them that are kept once they were used: what computes on a GPU */
export const later: readonly string[] = [];
/** hash of all */
export const version: string = '';
