/**
 * A question to a driver over the bus. Mission Control Service, sections 4.1 rules 7 and 8, and 7.3. Which driver, and
 * what to ask it, is decided by the route.
 */

import { assertNever } from '../contract/assert.ts';
import { DRIVER_ANSWER_MS } from '../contract/limits/link.ts';
import {
  type DecodeReply,
  type DriverAnswer,
  type DriverVerb,
  type EncodeReply,
  readDecodeReply,
  readEncodeReply,
} from '../contract/link.ts';
import { isToken } from '../contract/token.ts';
import { askForCaller } from '../messaging/ask.ts';
import { toDriver } from '../messaging/driver-question.ts';
import type { Link } from '../mission/mission.ts';
import { refuse } from './errors.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled, Refusal } from './reply.ts';

export interface ChosenDriver {
  readonly name: string;
  /** Named by the request instead of the one bound to the link. */
  readonly explicit: boolean;
}

interface Replies {
  readonly encode: EncodeReply;
  readonly decode: DecodeReply;
}

type Readers = {
  readonly [Verb in keyof Replies]: (bytes: Uint8Array) => DriverAnswer<Replies[Verb]> | undefined;
};
const READERS: Readers = { encode: readEncodeReply, decode: readDecodeReply };

/** Refuses a driver of a request that is not a name (MC-ENC-013). */
export function checkDriverName(driver: string | undefined): Refusal | undefined {
  if (driver === undefined || isToken(driver)) return undefined;
  return refuse(
    'api::invalid-instance',
    `${JSON.stringify(driver)} is not a name: letters, digits, - and _`,
    {
      path: '/driver',
    },
  );
}

/** The driver of the request, else the one bound to the link; refuses with `driver::unbound`. */
export function driverOf(link: Link, requested: string | undefined): Handled<ChosenDriver> {
  if (requested !== undefined) return { ok: true, value: { name: requested, explicit: true } };
  if (link.driver !== undefined) return { ok: true, value: { name: link.driver, explicit: false } };
  return refuse('driver::unbound', `no driver is bound to link ${link.name}`, {
    help: 'Name a driver in the request, or bind one to the link in the topology.',
  });
}

/**
 * The answer of the driver; refuses with what it refused, or with its silence. Throws `Outage` while the bus is away.
 */
export async function askDriver<Verb extends keyof Replies & DriverVerb>(
  driver: ChosenDriver,
  verb: Verb,
  call: object,
  { bus, clock, log }: Pick<RoutePorts, 'bus' | 'clock' | 'log'>,
): Promise<Handled<Replies[Verb]>> {
  const { name, explicit } = driver;
  const question = { call, read: READERS[verb], timeoutMs: DRIVER_ANSWER_MS };
  const asked = await askForCaller(bus, { ...toDriver(name, verb, clock), ...question });
  switch (asked.outcome) {
    case 'answered':
      return asked.answer;
    case 'unserved':
      if (explicit)
        return refuse('api::unknown-instance', `no driver ${name} is registered`, { path: '/driver' });
      return refuse('driver::no-answer', `driver ${name} is not running`);
    case 'unanswered':
      return refuse('driver::no-answer', `driver ${name} did not answer within ${DRIVER_ANSWER_MS} ms`);
    case 'unreadable':
      log.error({ driver: name, said: asked.said }, 'malformed reply from a driver');
      return refuse('driver::no-answer', `malformed reply from driver ${name}`);
    default:
      return assertNever(asked);
  }
}
