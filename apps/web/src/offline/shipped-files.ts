/** The files of this site, and a hash of all of them: its builder puts both here. */
export const files: readonly string[] = [];
export const version: string = '';
