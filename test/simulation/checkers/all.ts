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
  shelvingEnds,
} from './alarm-log.ts';
import {
  failuresToldOnce,
  oneReactionPerActivation,
  reactionsAreOver,
  silencedWhileShelved,
} from './alarm-reactions.ts';
import { everyCrossingOnce, standsAsMeasured } from './alarm-truth.ts';
import type { Checker, Violation } from './checker.ts';
import { keptIsTheLog, nothingKeptOfWhatIsOver } from './kept-envelopes.ts';
import { oneLeader } from './leadership.ts';
import { derivedOfCurrent, judgedByCurrent, markedAsShown, verifiedByCurrent } from './one-order.ts';
import { namesStay, noContributionLost } from './pass-contributions.ts';
import { nothingUnhandled } from './process-health.ts';
import {
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
import { oneRunEach } from './schedule-runs.ts';
import { standsAsTheRulesSay } from './schedule-states.ts';
import { commitBeforeEffect, honestStates, laneOrder, neverTwice, worksAgain } from './sending.ts';
import {
  acceptedOnce,
  acknowledgedNeverLost,
  finalIsFinal,
  gaplessSubjects,
  oneWriterPerEpoch,
  walksTheChart,
} from './telecommand-log.ts';
import { currentIsNewest, decodedOnce, publishedOnce } from './telemetry.ts';

export const checkers: readonly Checker[] = [
  gaplessSubjects,
  oneWriterPerEpoch,
  finalIsFinal,
  walksTheChart,
  acceptedOnce,
  acknowledgedNeverLost,
  neverTwice,
  commitBeforeEffect,
  honestStates,
  laneOrder,
  worksAgain,
  keptIsTheLog,
  nothingKeptOfWhatIsOver,
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
  firesRightly,
  standsAsTheRulesSay,
  finalStays,
  validationsStayFallen,
  endsRightly,
  rulesMakeOneEach,
  nothingUnhandled,
];

/** Every promise that the history breaks, in the order of the checkers. */
export function violationsOf(history: History): Violation[] {
  return checkers.flatMap((checker) => {
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
