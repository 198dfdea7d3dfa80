export { closingAfter, closings, openedBy } from './closings.ts';
export type { Closings } from './closings.ts';
export { actingIn, steppedIn, trainedIn } from './environments/acting-in.ts';
export { wordsNotes } from './environments/action-words.ts';
export { loadAgent } from './agents/agent-kind.ts';
export type { AgentOptions } from './agents/agent-kind.ts';
export { loadMcp } from './mcp/mcp-kind.ts';
export { loadedEnvironment, loadEnvironmentModule, withoutKeys } from './environments/environment-module.ts';
export type { GivenEnvironment } from './environments/environment-module.ts';
export { factsOfKind, firstOf, sensesOf, shownEnvironment } from './environments/environment-facts.ts';
export type { EnvironmentFacts, ShownEnvironment } from './environments/environment-facts.ts';
export { inlineEnvironment, sourceHash } from './environments/inline-environment.ts';
export type { InlineEnvironment } from './environments/inline-environment.ts';
export {
  builtinGameAt,
  drawGames,
  drawGamesAfter,
  gamesNamed,
  isBuiltin,
  listedTasks,
  listGames,
  remoteList,
  shortage,
  suites,
  taskOf,
} from './environments/games.ts';
export type { GameList, ListedGame, PlayedBefore } from './environments/games.ts';
export { environmentTemplates, writeNewEnvironment } from './environments/new-environment.ts';
export type { EnvironmentTemplate } from './environments/new-environment.ts';
export { gamesKind } from './environments/alfworld-kind.ts';
export {
  kindEnvironment,
  openKind,
  openPlayedOnce,
  requireAsked,
  type PlayedOnce,
} from './environments/kind-environment.ts';
export {
  beginsAsEnvironment,
  environmentId,
  environmentsWith,
  isDescribedElsewhere,
  isPlayedElsewhere,
  isWorded,
  kindMeant,
  kindNamed,
  kindOf,
  localWorld,
  nearEnvironmentIds,
} from './environments/kind-of.ts';
export { kinds } from './environments/kinds.ts';
export { ModuleFault } from './environments/module-faults.ts';
export { collectInThreads } from './environments/module-thread.ts';
export { answerMessage } from './environments/tool-speech.ts';
export { policyTexts } from './environments/texts.ts';
export { expertKey } from './experts/service-address.ts';
export { limitedHost } from './limited-host.ts';
export { limitOf, memoryLimit, shareOf } from './memory-limit.ts';
export type { HeldMemory, MemoryLimit, MemoryReading } from './memory-limit.ts';
export { isModulePath } from './code-file.ts';
export { loadExpertModule } from './experts/expert-module.ts';
export { loadRewardModule, rewardIn } from './rewards/reward-module.ts';
export type { GivenExpert } from './experts/expert-module.ts';
export { openTeacher } from './experts/open-teacher.ts';
export { noReplies } from './experts/reply-use.ts';
export type { StepQuestion } from './experts/step-answer.ts';
export { openStepTeacher } from './experts/step-teacher.ts';
export type { SpentOnLabels, StepLabel, StepTeacher } from './experts/step-teacher.ts';
export type { Teacher } from './experts/teacher.ts';
export { both, plainHost, stopIfAsked, tellSteps, timesOf, warn } from './host.ts';
export type { Host, Listener, RewardedAnswer, Times, Workers } from './host.ts';
export { subjectOf } from './environments/subject.ts';
export { requireFittingInference } from './inference/fitting-inference.ts';
export { grpoCheckpointOf, grpoProgress, repliesOf } from './lewis/grpo-checkpoint.ts';
export { modelNamed, requireHeeded } from './lewis/heeded-limit.ts';
export { lewisWorld } from './lewis/lewis-kind.ts';
export { heldOutRandom, listenerRounds, openLewisGames, speakerRounds } from './lewis/lewis-rounds.ts';
export type { LewisGames } from './lewis/lewis-rounds.ts';
export { modelListener, modelSpeaker } from './lewis/model-agents.ts';
export type { ListenerReading, ModelAgent } from './lewis/model-agents.ts';
export { atOnceOf, openListener, openSpeaker, policyIdentity, requireSplit } from './lewis/open-agents.ts';
export type { AgentPlace } from './lewis/open-agents.ts';
export { heldOutGames, openLewisWorld } from './lewis/pictures.ts';
export type { LewisWorld, Pictures } from './lewis/pictures.ts';
export { isAddress, lateJournal, serviceNamed } from './lewis/remote-agents.ts';
export type { LateJournal } from './lewis/remote-agents.ts';
export { adapterFiles, adapterStart, partsInUse, trainedParts } from './models/adapter.ts';
export {
  checkpointForm,
  knownStart,
  modelOfRun,
  runOf,
  startNamed,
  steppedForm,
} from './models/checkpoint-form.ts';
export type { SteppedForm } from './models/checkpoint-form.ts';
export {
  cacheFolder,
  computingOf,
  inUse,
  modelFilesOf,
  modelName,
  modelPath,
  openModel,
} from './models/model.ts';
export type { Computing, OpenModel, OpenedAs } from './models/model.ts';
export { openPolicy } from './models/open-policy.ts';
export type { EvaluatedPolicy } from './models/open-policy.ts';
export { inEpisodes } from './models/episode-policy.ts';
export type { EpisodePolicy } from './models/episode-policy.ts';
export { languagePolicy, trainingStart } from './models/language-policy.ts';
export type { AskedForm, LanguagePolicy } from './models/language-policy.ts';
export { checkpointContent, storedSizes, tensorBytes } from './models/opened-policy.ts';
export type { OpenedPolicy, StoredPolicy } from './models/opened-policy.ts';
export {
  dialogueOf,
  observedBy,
  readForm,
  requireFrameAlone,
  requireSight,
  speechOf,
} from './models/policy-form.ts';
export { policyContent } from './models/policy-content.ts';
export type { PolicyForm, PpoForm, SpokenForm } from './models/policy-form.ts';
export {
  isModel,
  isOfOthers,
  ownProjection,
  projectionForm,
  projectionNames,
  randomProjection,
  storedProjection,
} from './models/projection-start.ts';
export type { ProjectionStart } from './models/projection-start.ts';
export { silent } from './models/silent.ts';
export { openStudent, parallelOf } from './models/student.ts';
export type { Learning } from './models/student.ts';
export { projectionTensors } from './models/vision-norm.ts';
export type { EnvironmentPlayer } from './players/environment-player.ts';
export { openPlayerIn } from './players/open-player.ts';
export type { Person, ShownStep } from './players/person.ts';
export { serviceMessages, type ServiceMessages } from './players/service-player.ts';
export { policyNamed } from './players/policy-name.ts';
export type { PlayerName, PolicyName } from './players/policy-name.ts';
export { actionTexts, actionTokens, actionWordsOf, asData } from './steps/action-tokens.ts';
export type { ActionWords } from './steps/action-tokens.ts';
export { withBlankFrames } from './steps/blank-frames.ts';
export {
  environmentTasks,
  seedOfTask,
  taskOfSeed,
  taskTexts,
  tasksEnvironment,
  tasksIn,
} from './steps/environment-tasks.ts';
export type { ChosenTasks } from './steps/environment-tasks.ts';
export { requireEpisodesHere, requireReadable } from './steps/fitting-network.ts';
export { languageTexts } from './steps/language-texts.ts';
export { openPpoPolicy } from './steps/open-ppo-policy.ts';
export {
  ppoCheckpointOf,
  ppoContent,
  ppoMomentOf,
  storedBestOf,
  storedCohortsOf,
} from './steps/ppo-checkpoint.ts';
export type { CohortState, PpoMoment } from './steps/ppo-checkpoint.ts';
export {
  frameSizeOf,
  numberedEnvironment,
  offeredIn,
  openEnvironment,
  ownPalette,
  ppoEnvironment,
} from './steps/ppo-environments.ts';
export type { PolicyStart, PpoPolicy } from './steps/ppo-policy.ts';
export { countedStarts, countedTasks, movedWorld, suiteName } from './steps/robots.ts';
export type { StepAction } from './steps/robots.ts';
export { scriptedPlayer } from './steps/scripted-player.ts';
export type { ScriptedPlayer } from './steps/scripted-player.ts';
export { scriptedRater } from './steps/scripted-rater.ts';
export { openWordedNetwork } from './steps/small-policy.ts';
export { statisticsFile, statisticsName } from './steps/statistics-name.ts';
export { playedEnvironment, trainingTaskOf, wordedEnvironment } from './steps/worded-environments.ts';
export { openClientRobot } from './tasks/client-robot.ts';
export { requirePlayable } from './tasks/remote-kind.ts';
export { remoteTasks } from './tasks/remote-tasks.ts';
export { connectedTo, keepingWorlds, withWorlds, worldsOf } from './tasks/remote-world.ts';
export {
  firstTasksOf,
  kindPlay,
  refuseArriving,
  refusePlanner,
  remotePlay,
  shortestOf,
} from './tasks/run-play.ts';
export type { RunPlay } from './tasks/run-play.ts';
export { exactly, nothing, onlyPlay, product, stepsOf, sumOf } from './expected.ts';
export type { Expected, ExpectedExpert, ExpectedPolicy, PolicySizes, Range } from './expected.ts';
export { freeTeacher, freeTeacherName } from './experts/open-teacher.ts';
export { expectedPolicy } from './models/expected-policy.ts';
export { heard } from './trial.ts';
export type { Trial } from './trial.ts';
