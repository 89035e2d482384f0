/** What archives have of what was received: archive/archive.V2, V3, V5 and Mission Control Service, section 4.9. */

import type { Gap, HistorySample } from '../../../contract/history.ts';
import type {
  AnsweredQuestion,
  ArchiveHistory,
  Everything,
  SentMessage,
  SentSample,
} from '../archive/history.ts';
import { RETENTION } from '../archive/mission.ts';
import type { Checker } from './checker.ts';

type Answer = Pick<AnsweredQuestion, 'query' | 'samples' | 'gaps'>;

/** How an answer is called in words. */
function called(answer: Answer | Everything): string {
  return 'archive' in answer ? `${answer.archive}, read from its ${answer.from}` : 'an answer';
}

function answersOf({ answered, everything }: ArchiveHistory): (AnsweredQuestion | Everything)[] {
  return [...everything, ...answered];
}

/** A sample is known by its target, its measure and its ground time. */
function nameOf(target: string, key: string, ground: number): string {
  return `${target} ${key} at ${ground}`;
}

function namesOf({ query, samples }: Answer): string[] {
  return samples.map(({ measure, ground }) => nameOf(query.target, query.measures[measure]!, ground));
}

function sentByName(history: ArchiveHistory): Map<string, SentSample> {
  const samples = history.sent.flatMap((message) => message.samples);
  return new Map(samples.map((sample) => [nameOf(sample.target, sample.key, sample.ground), sample]));
}

export const archivedOnce: Checker = {
  name: 'archived-once',
  promise: 'no sample is given twice by an archive, in memory, in the stream and in segments together',
  overRewinds: 'complete',
  *check({ archives }) {
    if (archives === undefined) return;
    for (const answer of answersOf(archives)) {
      const seen = new Set<string>();
      for (const name of namesOf(answer)) {
        if (seen.has(name)) yield `${called(answer)} has ${name} twice`;
        seen.add(name);
      }
    }
  },
};

export const archivedAsReceived: Checker = {
  name: 'archived-as-received',
  promise: 'what an archive gives was received, as it was received, and was asked for',
  overRewinds: 'complete',
  *check({ archives }) {
    if (archives === undefined) return;
    const sent = sentByName(archives);
    for (const answer of answersOf(archives)) {
      const { from, to, delivery } = answer.query;
      for (const [n, name] of namesOf(answer).entries()) {
        const sample = answer.samples[n]!;
        const expected = sent.get(name);
        if (expected === undefined) yield `${called(answer)} has ${name}, which was never received`;
        else if (textOf(sample) !== textOf(expected))
          yield `${called(answer)} has ${name} as ${textOf(sample)}, received as ${textOf(expected)}`;
        const isAsked = delivery === 'all' || sample.deferred === (delivery === 'deferred');
        if (!isAsked || sample.time < from || sample.time >= to)
          yield `${called(answer)} has ${name}, which nobody asked for`;
      }
    }
  },
};

function textOf({ value, raw, time, ground, position, link, deferred, superseded }: HistorySample): string {
  return JSON.stringify([value, raw ?? null, time, ground, position, link, deferred, superseded === true]);
}

export const nothingMissingUnsaid: Checker = {
  name: 'nothing-missing-unsaid',
  promise: 'every sample received is in each archive, or in a gap that it says, or older than is kept',
  overRewinds: 'complete',
  *check({ archives }) {
    if (archives === undefined) return;
    for (const each of archives.everything) {
      const has = new Set(namesOf(each));
      for (const message of expectedOf(each, archives))
        for (const sample of message.samples) {
          const name = nameOf(sample.target, sample.key, sample.ground);
          if (has.has(name) || isSaid(message, each.gaps)) continue;
          yield `${called(each)} has no ${name}, position ${message.stored.seq}, and says no gap`;
          break;
        }
    }
  },
};

/**
 * What it has to have: a disk alone what was durable. Nobody can keep what a store lost that went back, nor say what a
 * stream had discarded of which nothing was ever durable, when another one stands in its place.
 */
function expectedOf(everything: Everything, archives: ArchiveHistory): SentMessage[] {
  const { archive, from, query, at } = everything;
  const { announced, sent, retains, skewMs } = archives;
  const kept = retains ? at - RETENTION.samplesMs + skewMs : Number.NEGATIVE_INFINITY;
  const state = announced.findLast((each) => each.state.archive === archive)?.state;
  const last = from === 'owner' ? Number.POSITIVE_INFINITY : (state?.position ?? 0);
  const ofThisStream = generationOf(sent);
  const own = archives.everything.filter((each) => each.archive === archive);
  const names = new Set(own.flatMap(namesOf));
  const knewBefore = sent.some(
    (message) =>
      !ofThisStream(message) &&
      message.samples.some(({ target, key, ground }) => names.has(nameOf(target, key, ground))),
  );
  return sent.filter(
    (message) =>
      message.target === query.target &&
      message.stored.lostAt === undefined &&
      message.stored.at >= kept &&
      (ofThisStream(message) ? message.stored.seq <= last : knewBefore),
  );
}

/** Whether a message is of the stream as it stands in the end, behind the last time that it went back. */
function generationOf(sent: readonly SentMessage[]): (message: SentMessage) => boolean {
  const wentBackAt = Math.max(0, ...sent.map(({ stored }) => stored.lostAt ?? 0));
  return ({ stored }) => stored.order >= wentBackAt;
}

/**
 * Whether an archive says that something of the time of the message is missing. Its position may be that of another
 * message by then, where the stream went back.
 */
function isSaid({ stored: { at } }: SentMessage, gaps: readonly Gap[]): boolean {
  return gaps.some(({ from, to }) => from <= at && at <= to);
}

function isNamed(message: SentMessage, gap: Gap): boolean {
  const { seq } = message.stored;
  return gap.first <= seq && seq <= gap.last && isSaid(message, [gap]);
}

export const gapsAreTrue: Checker = {
  name: 'gaps-are-true',
  promise: 'an archive says a gap only where a message was discarded, cannot be read, or went with the store',
  overRewinds: 'complete',
  *check({ archives }) {
    if (archives === undefined) return;
    const wentBack = archives.sent.some(({ stored }) => stored.lostAt !== undefined);
    for (const each of archives.everything)
      for (const gap of each.gaps) {
        const text = `${called(each)}: gap ${gap.first} to ${gap.last}`;
        // Between a stream and the one in its place nobody knows what there was.
        if (gap.first === 0) {
          if (!wentBack) yield `${text}, as of another stream; it never was another one`;
          continue;
        }
        for (const message of archives.sent) {
          const { stored, isReadable } = message;
          const isGone = stored.discardedAt !== undefined || stored.lostAt !== undefined;
          if (isReadable && !isGone && isNamed(message, gap))
            yield `${text}, and the stream has ${stored.seq}`;
        }
      }
  },
};

export const answersHaveWhatWasRead: Checker = {
  name: 'answers-have-what-was-read',
  promise:
    'an answer has everything that its archive had read when it was asked, or says what is missing of it',
  overRewinds: 'complete',
  *check({ archives }) {
    if (archives === undefined) return;
    const sent = archives.sent;
    for (const answer of archives.answered) {
      const { before, after, askedAt, answeredAt, query } = answer;
      const isOneOwner =
        before !== undefined && before.epoch === after?.epoch && before.instance === after.instance;
      // What is read of a stream that went back has positions of both.
      const wentBack = sent.some(({ stored }) => (stored.lostAt ?? Number.POSITIVE_INFINITY) <= answeredAt);
      if (!isOneOwner || wentBack || archives.retains) continue;
      const has = new Set(namesOf(answer));
      for (const message of sent) {
        const { stored, target, samples } = message;
        if (stored.order > askedAt || stored.seq > before.read || target !== query.target) continue;
        const asked = samples.filter(({ time, deferred }) => isAskedFor(query, time, deferred));
        const missing = asked.find(({ key, ground }) => !has.has(nameOf(target, key, ground)));
        if (missing !== undefined && !isSaid(message, answer.gaps))
          yield `position ${stored.seq} of ${target} was read by ${before.instance}, and is not in its answer`;
      }
    }
  },
};

function isAskedFor(
  { from, to, delivery }: AnsweredQuestion['query'],
  time: number,
  deferred: boolean,
): boolean {
  return time >= from && time < to && (delivery === 'all' || deferred === (delivery === 'deferred'));
}
