/**
 * Has a telecommand encoded by the driver of its link, by the configuration that it was resolved with. Mission Control
 * Service, section 3.1 (ACK 1).
 *
 * E1. While the bus is away the driver is waited for: the outage is not its fault.
 * E5. A driver that nobody serves is asked again until `DRIVER_COMES_MS` behind the submission: it may be on its way.
 *     The time counts from there, so that those that wait behind each other do not add it up.
 * E3. With the frame goes the gateway that it is given (given-gateway.V1).
 * E2. Whatever a driver answers, the chain goes on or ends: drivers may be of others.
 * E4. What requires nothing is encoded while those before it leave (turn.T1). A frame that then waited for longer than
 *     `ENCODED_AHEAD_MS`, or was refused, counts for nothing: the driver is asked again when it is its turn.
 */

import { assertNever } from '../../../contract/assert.ts';
import { header } from '../../../contract/bus/headers.ts';
import { isHexadecimal } from '../../../contract/hexadecimal.ts';
import { DRIVER_ANSWER_MS, DRIVER_COMES_MS, DRIVER_RETRY_MS } from '../../../contract/limits/link.ts';
import { ENCODED_AHEAD_MS } from '../../../contract/limits/telecommand.ts';
import type { EncodeCall, EncodeReply } from '../../../contract/link.ts';
import { asObject, readReply, textIn } from '../../../contract/reply.ts';
import { accepted, type Result, refused, refusedAll } from '../../../contract/result.ts';
import { type Asked, askWhileBusIsAway } from '../../../messaging/ask.ts';
import { toDriver } from '../../../messaging/driver-question.ts';
import { pause } from '../../../messaging/pause.ts';
import type { Handler, LaneServices, TelecommandPorts } from '../services.ts';
import type { Work } from '../work.ts';

/** The frame is kept in a header of its ENCODED event, as hexadecimal: a bus takes headers of 64 KiB in all. */
const FRAME_KEPT_BYTES = 32_000;
/** A reference is kept in a header beside the frame: one short line. */
const REFERENCE = /^\P{Cc}{0,256}$/u;

type Encoding = Pick<EncodeReply, 'frame' | 'reference'>;

interface Ahead {
  readonly encoding: Result<Encoding, string>;
  /** On the monotonic clock. */
  readonly at: number;
}

export interface Encoder {
  /** Has it encoded before its turn, where that harms nobody (E4). */
  ahead(services: LaneServices, signal: AbortSignal): void;
  readonly encode: Handler<'effect.encode'>;
}

export function createEncoder(ports: TelecommandPorts): Encoder {
  const { clock } = ports;
  const known = new WeakMap<LaneServices, Promise<Ahead | undefined>>();
  const takeAhead = async (services: LaneServices): Promise<Ahead['encoding'] | undefined> => {
    const ahead = await known.get(services);
    known.delete(services);
    if (ahead === undefined || clock.monotonic() - ahead.at > ENCODED_AHEAD_MS) return undefined;
    return ahead.encoding;
  };
  return {
    ahead: (services, signal) => {
      const { definition, submission } = services.work;
      if (submission.withdrawn !== undefined || definition?.telecommand.requires.length !== 0) return;
      // What fails is asked again in its turn, and fails there.
      known.set(
        services,
        encodedAhead(ports, services, signal).catch(() => undefined),
      );
    },
    encode: async (_effect, services, { signal }) => {
      const { work, giveGateway } = services;
      const encoded = (await takeAhead(services)) ?? (await askDriver(ports, work, signal, DRIVER_COMES_MS));
      if (encoded === undefined || work.definition === undefined) return undefined;
      services.encoded();
      const at = clock.now();
      if (!encoded.ok) return { type: 'driver.refused', at, detail: encoded.faults.join('; ') };
      const gateway = giveGateway(work.definition);
      return { type: 'driver.encoded', at, ...encoded.value, ...(gateway !== undefined && { gateway }) };
    },
  };
}

/** E4; undefined where the driver is to be asked again. */
async function encodedAhead(
  ports: TelecommandPorts,
  services: LaneServices,
  signal: AbortSignal,
): Promise<Ahead | undefined> {
  await services.turnToEncode;
  if (signal.aborted) return undefined;
  const encoding = await askDriver(ports, services.work, signal);
  if (encoding?.ok !== true) return undefined;
  services.encoded();
  return { encoding, at: ports.clock.monotonic() };
}

/** Undefined when nobody waits for it any more. Within `comesMs` of the submission it may be on its way (E5). */
async function askDriver(
  { bus, clock }: TelecommandPorts,
  { submission, submittedAt, definition }: Work,
  signal: AbortSignal,
  comesMs = 0,
): Promise<Result<Encoding, string> | undefined> {
  if (definition === undefined) return undefined;
  const { driver } = definition.link;
  if (driver === undefined) return refused(`no driver is bound to link ${submission.link}`);
  const question = {
    ...toDriver(driver, 'encode', clock),
    call: encodeCall(submission),
    read: readEncoding,
    headers: { [header.config]: definition.mission.revision },
  };
  for (let waitedMs = 0; ; waitedMs += DRIVER_RETRY_MS) {
    const timed = { ...question, timeoutMs: DRIVER_ANSWER_MS - waitedMs };
    const asked = await askWhileBusIsAway(bus, timed, { clock, signal });
    const mayCome = waitedMs < comesMs && clock.now() - submittedAt < comesMs;
    if (asked?.outcome !== 'unserved' || !mayCome) return encodingOf(driver, asked);
    await pause(clock, DRIVER_RETRY_MS, signal);
  }
}

/** What the driver made of it, or why that is nothing; undefined when nobody waits for it any more. */
function encodingOf(
  driver: string,
  asked: Asked<Result<Encoding, string>> | undefined,
): Result<Encoding, string> | undefined {
  switch (asked?.outcome) {
    case undefined:
      return undefined;
    case 'answered':
      return asked.answer.ok ? kept(asked.answer.value) : asked.answer;
    case 'unserved':
      return refused(`driver ${driver} is not running`);
    case 'unanswered':
      return refused(`driver ${driver} did not answer within ${DRIVER_ANSWER_MS / 1000} s`);
    case 'unreadable':
      return refused(`driver ${driver} answered something that is no encoding`);
    default:
      return assertNever(asked);
  }
}

function kept(encoding: Encoding): Result<Encoding, string> {
  const bytes = encoding.frame.length / 2;
  if (bytes <= FRAME_KEPT_BYTES) return accepted(encoding);
  return refused(`its frame has ${bytes} bytes, at most ${FRAME_KEPT_BYTES} can be recorded and sent`);
}

function encodeCall(submission: Work['submission']): EncodeCall {
  const { target, link, environment, component, instance, telecommand, args } = submission;
  return {
    target,
    link,
    component,
    telecommand,
    args,
    ...(environment !== undefined && { environment }),
    ...(instance !== undefined && { instance }),
  };
}

/** Its refusals by their words, whatever their codes; undefined where it is no encoding that can be kept. */
function readEncoding(bytes: Uint8Array): Result<Encoding, string> | undefined {
  const reply = readReply(bytes);
  if (reply?.ok === false) return refusalIn(reply.faults);
  const value = reply?.ok === true ? asObject(reply.value) : undefined;
  const frame = value && textIn(value, 'frame');
  const reference = value && textIn(value, 'reference');
  if (frame === undefined || !isHexadecimal(frame)) return undefined;
  if (reference === undefined) return value?.reference === undefined ? accepted({ frame }) : undefined;
  return REFERENCE.test(reference) ? accepted({ frame, reference }) : undefined;
}

function refusalIn(faults: unknown): Result<Encoding, string> | undefined {
  if (!Array.isArray(faults)) return undefined;
  const words = faults.map(asObject).map((fault) => fault && textIn(fault, 'message'));
  const said = words.filter((each) => each !== undefined);
  if (said.length < words.length) return undefined;
  return said.length === 0 ? refused('') : refusedAll(said);
}
