/** What the way of a sample must be: T1, T5, ground-time.G1 and O1 of the telemetry owner. */

import { header } from '../../../contract/bus/headers.ts';
import { VALUE_APPEND_LATE_MS } from '../../../contract/limits/value.ts';
import { load } from '../../../mission/load.ts';
import type { History } from '../history.ts';
import { INSTRUMENTS } from '../instruments.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import type { Checker } from './checker.ts';
import { CurrentSamples } from './current-samples.ts';

export const receivedOnce: Checker = {
  name: 'received-once',
  promise: 'what a gateway receives is stored once',
  *check({ frames }) {
    const stored = new Map<string, number>();
    for (const { subject, seq, by, data } of frames) {
      // The ground times in it are of that message alone. The simulated spacecraft of a process that slept says the
      // same in the same millisecond as that of its successor.
      const message = `${subject} ${by} ${Buffer.from(data).toString('base64')}`;
      const before = stored.get(message);
      if (before !== undefined) yield `${subject}: ${seq} is ${before} once more`;
      stored.set(message, seq);
    }
  },
};

export const decodedOnce: Checker = {
  name: 'decoded-once',
  promise: 'a message of frames is decoded once, and in order',
  *check({ decoded }) {
    yield* outOfOrder(decoded.filter(({ by }) => by !== INSTRUMENTS));
  },
};

export const publishedOnce: Checker = {
  name: 'published-once',
  promise: 'a decoded batch becomes one value batch, in order, and none is left out',
  *check({ decoded, values }) {
    // A batch sent while its stream elects a leader may be passed by what is sent in the next moment
    // (ordered-append.Q4).
    const decodedAt = new Map(decoded.map(({ seq, at }) => [seq, at]));
    const passes = (later: number, source: number): boolean =>
      (decodedAt.get(later) ?? Number.NaN) - (decodedAt.get(source) ?? 0) <= VALUE_APPEND_LATE_MS;
    yield* outOfOrder(values, passes);
    const sources = new Set(
      values.map((message) => `${lastToken(message)} ${message.headers[header.source]}`),
    );
    for (const message of decoded) {
      if (!sources.has(`${lastToken(message)} ${message.seq}`)) {
        yield `${message.subject}: ${message.seq} was never published`;
      }
    }
  },
};

export const currentIsNewest: Checker = {
  name: 'current-is-newest',
  promise: 'what a process takes for the current value is the newest sample of the value stream',
  *check(history) {
    const newest = newestSamples(history);
    for (const { by, target, key, sample } of history.known) {
      const wanted = newest.get(`${target} ${key}`);
      if (wanted === undefined) yield `${by} knows ${key} of ${target}, of which there is no sample`;
      else if (wanted.time !== sample.timeMs || wanted.ground !== sample.groundMs) {
        yield `${by} has ${key} of ${target} from ${sample.timeMs}/${sample.groundMs}, newest is ${wanted.time}/${wanted.ground}`;
      }
    }
    const knowing = new Set(history.known.map(({ by }) => by));
    for (const by of knowing) {
      const known = history.known.filter((each) => each.by === by).length;
      if (known !== newest.size) yield `${by} knows ${known} values, there are ${newest.size}`;
    }
  },
};

/**
 * Each message names the one it was made from, and what time alone has turned behind it the moment; those only rise.
 */
function* outOfOrder(
  messages: readonly StoredMessage[],
  passes: (later: number, source: number) => boolean = () => false,
): Iterable<string> {
  const highest = new Map<string, { source: number; turned: number }>();
  for (const { subject, seq, by, headers } of messages) {
    const source = Number(headers[header.source]);
    const turned = Number(headers[header.turned] ?? Number.NEGATIVE_INFINITY);
    const before = highest.get(subject) ?? { source: 0, turned: Number.NEGATIVE_INFINITY };
    if (source < before.source && passes(before.source, source)) continue;
    if (source < before.source)
      yield `${subject}: ${seq} by ${by} is made from ${source}, after ${before.source}`;
    else if (source === before.source && turned <= before.turned)
      yield `${subject}: ${seq} by ${by} is made from ${source} once more`;
    else highest.set(subject, { source, turned });
  }
}

interface Newest {
  readonly time: number;
  readonly ground: number;
}

/** The last sample of each measure that became the current value. */
function newestSamples({ values, mission: { configuration, revision } }: History): Map<string, Newest> {
  const newest = new Map<string, Newest>();
  for (const [target, { platform }] of load(configuration, revision).targets) {
    if (platform === undefined) continue;
    const order = new CurrentSamples(platform, values);
    for (const message of values) if (lastToken(message) === target) order.take(message);
    for (const [measure, { time, ground }] of order.known)
      newest.set(`${target} ${measure}`, { time, ground });
  }
  return newest;
}

function lastToken({ subject }: StoredMessage): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}
