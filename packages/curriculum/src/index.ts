export { taskProbabilities } from './weights.ts';
export type { CurriculumFormula, CurriculumWeighting } from './weights.ts';
export { beginCurriculum, curriculumSettings, drawTasks, reported, statisticsOf } from './curriculum.ts';
export type { CurriculumSettings, CurriculumState, CurriculumStatistics } from './curriculum.ts';
export { curriculumOf } from './curriculum-of.ts';
export type { Curriculum, CurriculumOptions } from './curriculum-of.ts';
export { everyImprovement, withReturn } from './best-return.ts';
export type { BestReturn, BestReturnSettings, BestReturnState } from './best-return.ts';
export { readBestReturn, readCurriculum } from './read-state.ts';
