export { emmaTrialRecord, reflexionTrialRecord, skippedTrialRecord, trialRecord } from './trial-record.ts';
export { reflectionQuery } from './reflection-query.ts';
export { readFailureExamples } from './failure-examples.ts';
export { reflect } from './reflect.ts';
export { scriptedReflection } from './scripted-reflection.ts';
