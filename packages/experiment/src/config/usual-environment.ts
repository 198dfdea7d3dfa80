/** The environment of runs, and of checkpoints that name none. */
export const usualEnvironment = 'alfworld';
