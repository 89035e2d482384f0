/** Every checker, and what they find in a history. */

import type { History } from '../history.ts';
import {
  allowedTransitions,
  commandsOfAlarmsCount,
  numberedAlarms,
  oneContentPerNumber,
  oneWriterPerAlarm,
  recordedBeforeTold,
  recordedIsTold,
  shelvedToItsTerm,
  shelvingEnds,
} from './alarm-log.ts';
import {
  failuresToldOnce,
  oneReactionPerActivation,
  reactionsAreOver,
  silencedWhileShelved,
} from './alarm-reactions.ts';
import { everyCrossingOnce, standsAsMeasured } from './alarm-truth.ts';
import { archivesComeBack, bucketsAreOfSamples, deletesOnlyOld, durableStays } from './archive-keeping.ts';
import {
  answersHaveWhatWasRead,
  archivedAsReceived,
  archivedOnce,
  gapsAreTrue,
  nothingMissingUnsaid,
} from './archive-samples.ts';
import type { Checker, Violation } from './checker.ts';
import { keptIsTheLog, nothingKeptOfWhatIsOver } from './kept-envelopes.ts';
import { oneLeader } from './leadership.ts';
import { derivedOfCurrent, judgedByCurrent, markedAsShown, verifiedByCurrent } from './one-order.ts';
import { namesStay, noContributionLost } from './pass-contributions.ts';
import { nothingUnhandled } from './process-health.ts';
import {
  cutIsSaid,
  everyRunEnds,
  faultsSwitchedOff,
  nothingLeftBehind,
  oneWriterPerRun,
  soundRunLogs,
} from './run-log.ts';
import {
  answersCountOnce,
  answersMeanOneQuestion,
  commandsTakeEffect,
  refusalsAreTrue,
} from './run-people.ts';
import {
  announcedBeforeSent,
  insideItsHold,
  noMoreThanWritten,
  quietWhileSuspended,
  repeatedByPeopleOnly,
  sendsWhatItHolds,
  soundLeases,
  strangersKeptOut,
  withdrawnStays,
} from './run-sending.ts';
import { firesRightly } from './schedule-firing.ts';
import { endsRightly, finalStays, validationsStayFallen } from './schedule-records.ts';
import { rulesMakeOneEach } from './schedule-rules.ts';
import { firedOnce, oneRunEach } from './schedule-runs.ts';
import { standsAsTheRulesSay } from './schedule-states.ts';
import {
  commitBeforeEffect,
  handOversAreNoRefusal,
  honestStates,
  laneOrder,
  neverTwice,
  worksAgain,
} from './sending.ts';
import { steadyOwners } from './steady-owners.ts';
import {
  acceptedOnce,
  acknowledgedNeverLost,
  finalIsFinal,
  gaplessSubjects,
  oneWriterPerEpoch,
  walksTheChart,
} from './telecommand-log.ts';
import { currentIsNewest, decodedOnce, publishedOnce, receivedOnce } from './telemetry.ts';
import {
  askedOnce,
  asksWhatIsMissing,
  nothingWithoutLink,
  pipelineIsBounded,
  underTheLeaseOfItsRun,
} from './transfer-asking.ts';
import { oneGenerationEach, storedBeforeRecorded, verifiedHasItsBytes } from './transfer-content.ts';
import { processedRightly, storedSamplesAreDeferred, storedSamplesOnce } from './transfer-decoding.ts';
import { nothingIsLeftOver, shownAsRecorded, statesArePublished, transfersEnd } from './transfer-ends.ts';
import { finalTransfersStay, nothingReceivedIsLost, walksItsStates } from './transfer-states.ts';
import { endOfRunIsSaid, leftAloneRightly } from './transfer-waits.ts';

export const checkers: readonly Checker[] = [
  steadyOwners,
  gaplessSubjects,
  oneWriterPerEpoch,
  finalIsFinal,
  walksTheChart,
  acceptedOnce,
  acknowledgedNeverLost,
  neverTwice,
  commitBeforeEffect,
  honestStates,
  handOversAreNoRefusal,
  laneOrder,
  worksAgain,
  keptIsTheLog,
  nothingKeptOfWhatIsOver,
  receivedOnce,
  decodedOnce,
  publishedOnce,
  currentIsNewest,
  markedAsShown,
  verifiedByCurrent,
  judgedByCurrent,
  derivedOfCurrent,
  soundRunLogs,
  oneWriterPerRun,
  everyRunEnds,
  cutIsSaid,
  nothingLeftBehind,
  faultsSwitchedOff,
  announcedBeforeSent,
  repeatedByPeopleOnly,
  noMoreThanWritten,
  quietWhileSuspended,
  withdrawnStays,
  soundLeases,
  sendsWhatItHolds,
  insideItsHold,
  strangersKeptOut,
  commandsTakeEffect,
  answersCountOnce,
  answersMeanOneQuestion,
  refusalsAreTrue,
  numberedAlarms,
  oneContentPerNumber,
  recordedBeforeTold,
  recordedIsTold,
  oneWriterPerAlarm,
  allowedTransitions,
  shelvedToItsTerm,
  shelvingEnds,
  commandsOfAlarmsCount,
  standsAsMeasured,
  everyCrossingOnce,
  oneReactionPerActivation,
  silencedWhileShelved,
  failuresToldOnce,
  reactionsAreOver,
  oneLeader,
  noContributionLost,
  namesStay,
  oneRunEach,
  firedOnce,
  firesRightly,
  standsAsTheRulesSay,
  finalStays,
  validationsStayFallen,
  endsRightly,
  rulesMakeOneEach,
  nothingUnhandled,
];

/** Of files, where a far side stands in for whoever sends telecommands. */
const ofFiles: readonly Checker[] = [
  oneGenerationEach,
  storedBeforeRecorded,
  verifiedHasItsBytes,
  walksItsStates,
  finalTransfersStay,
  nothingReceivedIsLost,
  askedOnce,
  asksWhatIsMissing,
  pipelineIsBounded,
  nothingWithoutLink,
  underTheLeaseOfItsRun,
  statesArePublished,
  shownAsRecorded,
  transfersEnd,
  storedSamplesOnce,
  storedSamplesAreDeferred,
  processedRightly,
  leftAloneRightly,
  endOfRunIsSaid,
  nothingIsLeftOver,
  oneLeader,
  nothingUnhandled,
];

/** Of archives, where values are put into the stream. */
const ofArchives: readonly Checker[] = [
  archivedOnce,
  archivedAsReceived,
  nothingMissingUnsaid,
  gapsAreTrue,
  answersHaveWhatWasRead,
  durableStays,
  deletesOnlyOld,
  bucketsAreOfSamples,
  archivesComeBack,
  oneLeader,
  nothingUnhandled,
];

function checkersOf({ files, archives }: History): readonly Checker[] {
  if (archives !== undefined) return ofArchives;
  return files === undefined ? checkers : ofFiles;
}

/** Every promise that the history breaks, in the order of the checkers. */
export function violationsOf(history: History): Violation[] {
  return checkersOf(history).flatMap((checker) => {
    const judged = judgedBy(checker, history);
    return judged === undefined
      ? []
      : [...checker.check(judged)].map((what) => ({ checker: checker.name, what }));
  });
}

function judgedBy({ overRewinds }: Checker, history: History): History | undefined {
  const { complete, isUneven } = history;
  if (complete === undefined) return history;
  if (overRewinds === undefined || (isUneven && overRewinds.endsWith('-if-even'))) return undefined;
  return overRewinds.startsWith('complete') ? complete : history;
}
