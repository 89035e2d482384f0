/**
 * Every consumer against what the values route shows: nobody goes by a sample that did not become the current value.
 * Mission Control Service, sections 3.1, 3.2, 4.1 rule 10 and 4.4; the alarms are held against it by `alarm-truth.ts`.
 */

import { header } from '../../../contract/bus/headers.ts';
import { isBusPosition } from '../../../contract/link.ts';
import type { TcSubmission } from '../../../contract/telecommand.ts';
import { load } from '../../../mission/load.ts';
import type { Platform } from '../../../mission/platform.ts';
import type { History, RecordedEvent } from '../history.ts';
import { bodyOf, lastToken } from '../run-history.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import { byTelecommand, type Checker } from './checker.ts';
import { CurrentSamples, type FoundSample } from './current-samples.ts';

export const markedAsShown: Checker = {
  name: 'marked-as-shown',
  promise: 'a real-time sample is marked exactly where it did not become the current value',
  *check(history) {
    for (const [target, { messages }] of found(history))
      for (const { message, samples } of messages)
        for (const { measure, isCurrent, isMarked, deferred, ground } of samples)
          if (!deferred && isMarked === isCurrent)
            yield `${target} ${message.seq}: ${measure} of ${ground} is ${isMarked ? '' : 'not '}marked`;
  },
};

export const verifiedByCurrent: Checker = {
  name: 'verified-by-current',
  promise:
    'a telecommand is verified by values only where one behind its hand-over, that became current, says what it waits for',
  *check(history) {
    const targets = found(history);
    const submissions = new Map<string, TcSubmission>();
    for (const message of history.submissions) {
      const submission = bodyOf<TcSubmission>(message);
      submissions.set(`${submission.target}.${submission.id}`, submission);
    }
    for (const [key, events] of byTelecommand(history.events)) {
      const submission = submissions.get(key);
      const target = submission && targets.get(submission.target);
      const verified = events.find(({ event }) => event.state === 'VERIFIED');
      if (target === undefined || submission === undefined || verified === undefined) continue;
      if (saysSo(target, submission, events, verified) === false)
        yield `${key} (${submission.component}.${submission.telecommand}) is VERIFIED by no current value`;
    }
  },
};

export const judgedByCurrent: Checker = {
  name: 'judged-by-current',
  promise: 'what a run judges and tells of was the current value at some time',
  *check(history) {
    const shown = new Set<string>();
    for (const [target, { messages }] of found(history))
      for (const { samples } of messages)
        for (const { measure, time, ground, isCurrent } of samples)
          if (isCurrent) shown.add(`${target} ${measure} ${instant(time)} ${instant(ground)}`);
    for (const { run, event } of history.runs.events) {
      if (event.event !== 'checked' && event.event !== 'logged') continue;
      for (const { target, component, instance, measure, time, ground_time: ground } of event.samples) {
        const key = `${component}${instance === undefined ? '' : `[${instance}]`}.${measure}`;
        if (!shown.has(`${target} ${key} ${time} ${ground}`))
          yield `run ${run} ${event.seq}: ${key} of ${target} from ${time}, received ${ground}, was never current`;
      }
    }
  },
};

export const derivedOfCurrent: Checker = {
  name: 'derived-of-current',
  promise: 'what is derived in real time is of the current values',
  *check(history) {
    for (const [target, { platform, messages }] of found(history)) {
      const products = platform.measures.filter(({ key }) => key.endsWith('.product'));
      const known = new Map<string, FoundSample>();
      for (const { message, samples } of messages) {
        for (const sample of samples) if (sample.isCurrent) known.set(sample.measure, sample);
        for (const { key } of products) {
          const parts = ['level', 'flow'].map((name) => known.get(key.replace('product', name)));
          const product = known.get(key);
          if ([product, ...parts].some((each) => each === undefined || each.deferred)) continue;
          const [level, flow] = parts.map((each) => each!.value);
          if (!Object.is(product!.value, level! * flow!))
            yield `${target} ${message.seq}: ${key} is ${product!.value}, the current values give ${level! * flow!}`;
        }
      }
    }
  },
};

interface Found {
  readonly platform: Platform;
  readonly messages: readonly { readonly message: StoredMessage; readonly samples: readonly FoundSample[] }[];
}

/** The samples of each target, in the order of the stream. */
function found({ values, mission: { configuration, revision } }: History): Map<string, Found> {
  const targets = new Map<string, Found>();
  for (const [name, { platform }] of load(configuration, revision).targets) {
    if (platform === undefined) continue;
    const order = new CurrentSamples(platform, values);
    const own = values.filter((message) => lastToken(message) === name);
    targets.set(name, {
      platform,
      messages: own.map((message) => ({ message, samples: order.take(message) })),
    });
  }
  return targets;
}

/** Whether the values say what it waits for; undefined where it waits for none, or nobody knows where the bus stood. */
function saysSo(
  { platform, messages }: Found,
  { component, telecommand, instance, args }: TcSubmission,
  events: readonly RecordedEvent[],
  verified: RecordedEvent,
): boolean | undefined {
  const { expect } = platform.components.get(component)?.telecommands.get(telecommand)?.verify ?? {};
  const sent = events.find(({ event }) => event.state === 'SENT');
  const text = sent?.message.headers[header.handed];
  const handed: unknown = text === undefined ? undefined : JSON.parse(text);
  if (expect === undefined || sent === undefined || !isBusPosition(handed)) return undefined;
  const evaluation = expect.open({ names: args, ...(instance !== undefined && { instance }) });
  const sentAt = Date.parse(sent.event.at);
  for (const { message, samples } of messages) {
    if (message.order > verified.message.order) return false;
    const [source, received] = [header.source, header.received].map((name) => message.headers[name]);
    const isBehind =
      message.seq > handed.values &&
      Number(source ?? Number.POSITIVE_INFINITY) > handed.decoded &&
      Number(received ?? Number.POSITIVE_INFINITY) > handed.frames;
    for (const { measure, value, ground, isCurrent, deferred } of samples) {
      if (!isCurrent || deferred) continue;
      const ordinal = platform.ordinal(measure)!;
      const known = Number.isNaN(value) ? null : value;
      if (isBehind) evaluation.feed(ordinal, known, Math.max(ground, sentAt));
      else evaluation.prime(ordinal, known, Math.min(ground, sentAt));
      if (isBehind && evaluation.truth(Math.max(ground, sentAt)) === true) return true;
    }
  }
  return false;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
