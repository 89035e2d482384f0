/** What stops the transmitter and what may not outlive that: mutes, changes of the path, deaths of the daemon. */

import { does, isFaulty, isMuted, isQuiet, isStop, named, type RadioChecker } from './checker.ts';
import type { Asked, RadioHistory } from './history.ts';

/** Some tens of questions of a quarter of a millisecond each, and none of them waits for anything. */
const AT_ONCE_MS = 60;

export const STOPPING: readonly RadioChecker[] = [
  {
    name: 'stopped-at-once',
    promise:
      'Whatever is under way or waits, what stops the transmitter is answered at once, and it is stopped.',
    broken: (history) =>
      history.asked.filter(isStop).flatMap((asked) => {
        const [answer] = asked.answers;
        // A receiver gain that is asked along has its turn.
        if (answer === undefined || isFaulty(history, asked.order, answer.order) || hasMore(asked)) return [];
        const tookMs = answer.at - asked.at;
        if (tookMs > AT_ONCE_MS) return [`${named(asked)} is answered behind ${tookMs.toFixed(1)} ms`];
        if (!answer.outcome.ok || answer.truth === undefined || isStruckByOthers(history, asked)) return [];
        const isStopped = does(asked, 'disable') ? !answer.truth.egressOpen : isMuted(answer.truth);
        return isStopped
          ? []
          : [`${named(asked)} is done, and the transmitter is at ${answer.truth.levelDb} dB`];
      }),
  },
  {
    name: 'stopped-for-good',
    promise: 'Nothing that was asked before a stop makes the transmitter radiate behind it.',
    broken: ({ asked, writes }) =>
      asked.filter(isStop).flatMap((stop) => {
        const [answer] = stop.answers;
        if (answer === undefined || !answer.outcome.ok) return [];
        return writes
          .filter(({ act, order, life, before, after, failed }) => {
            const by = act === undefined ? undefined : asked[act];
            if (by === undefined || failed || life !== stop.life || order < answer.order) return false;
            return by.order < stop.order && isQuiet(before) && !isQuiet(after);
          })
          .map(({ act, words }) => `${named(stop)} was done, and act ${act} of before writes ${words}`);
      }),
  },
  {
    name: 'nothing-queued-changes-path',
    promise:
      'Nothing waits for the transmitter when its path changes, and nothing accepted for one path is sent on another.',
    broken: (history) => [
      ...history.writes
        .filter(
          ({ kind, before, after }) =>
            kind === 'switch' && before.target !== after.target && before.queued > 0,
        )
        .map(({ act, words, before }) => `act ${act} writes ${words} with ${before.queued} blocks queued`),
      ...sentElsewhere(history),
    ],
  },
  {
    name: 'found-silent',
    promise: 'Before anything is done with a board that is found, it is silent.',
    broken: ({ found, struck }) =>
      struck.some(({ fault }) => fault.kind === 'board' || fault.kind === 'silence')
        ? []
        : found
            .filter(({ truth }) => !isQuiet(truth))
            .map(({ life, truth }) => `life ${life} begins with the egress open at ${truth.levelDb} dB`),
  },
];

function hasMore(asked: Asked): boolean {
  return does(asked, 'gain') && typeof asked.action.rx_gain_db === 'number';
}

/** Somebody asked for it later, and was answered before. */
function isStruckByOthers({ writes, asked }: RadioHistory, stop: Asked): boolean {
  const until = stop.answers[0]!.order;
  return writes.some(({ act, order }) => {
    const by = act === undefined ? undefined : asked[act];
    return by !== undefined && by.order > stop.order && order < until;
  });
}

/** Bytes that a flush hands over although none were accepted for the path there is. */
function sentElsewhere({ asked, writes }: RadioHistory): string[] {
  return asked.flatMap((flush) => {
    const [answer] = flush.answers;
    if (!does(flush, 'flush') || flush.by !== undefined || answer?.outcome.ok !== true) return [];
    const { useful_bytes: sent } = answer.outcome.value as { useful_bytes: number };
    const data = writes.find(({ act, kind }) => act === flush.act && kind === 'data');
    if (sent === 0 || data === undefined) return [];
    const path = data.before.target;
    // The last change of the path before: nothing accepted earlier may be among what is sent.
    const changed = writes.findLast(
      ({ kind, before, after, order }) =>
        kind === 'switch' && before.target !== after.target && order < data.order,
    );
    const since = changed?.order ?? 0;
    const accepted = asked.some(
      (each) =>
        does(each, 'transmit') &&
        each.life === flush.life &&
        (each.answers[0]?.order ?? Number.POSITIVE_INFINITY) > since,
    );
    return accepted
      ? []
      : [`${named(flush)} sends ${sent} bytes to ${path} that were accepted for another path`];
  });
}
