/**
 * Encode and decode: a driver is asked, nothing is sent and nothing is published. Mission Control Service, sections 2.1
 * and 4.1 rules 7 and 8.
 *
 * L1. No lease is taken or looked at, and no event is written: an operator may encode while a run holds the target.
 */

import { FRAME_BYTES } from '../../contract/limits/link.ts';
import type { DecodeCall, EncodeCall } from '../../contract/link.ts';
import { Decoded, DecodeRequest, Encoded, EncodeRequest } from '../../contract/telecommand.ts';
import { resolveDecode, resolveTelecommand } from '../../mission/resolve.ts';
import { askDriver, checkDriverName, driverOf } from '../driver.ts';
import { refuse } from '../errors.ts';
import { currentMission } from '../mission-of.ts';
import type { Handled } from '../reply.ts';
import { defineRoute } from '../route.ts';
import { RESOLUTION_ERRORS } from './telecommands.ts';

const DRIVER_ERRORS = [
  'driver::unbound',
  'driver::no-verb',
  'driver::no-answer',
  'api::unknown-instance',
  'api::invalid-instance',
  'api::no-configuration',
  'api::unavailable',
] as const;

export const encodeTelecommand = defineRoute({
  method: 'POST',
  path: '/v1/encode',
  changesNothing: true,
  operationId: 'encodeTelecommand',
  summary: 'Encode a telecommand without sending it',
  description:
    'The driver of the link makes the frame; no event is written. Works also while a run holds the target.',
  tag: 'Telecommands',
  body: EncodeRequest,
  replies: { 200: Encoded },
  errors: [...RESOLUTION_ERRORS, 'driver::encode-failed', ...DRIVER_ERRORS],
  async handle({ body }, ports) {
    const invalid = checkDriverName(body.driver);
    if (invalid !== undefined) return invalid;
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const resolved = resolveTelecommand(mission.value, body);
    if (!resolved.ok) return resolved;
    const { target, link, environment, telecommand, instance, args, written } = resolved.value;
    const driver = driverOf(link, body.driver);
    if (!driver.ok) return driver;
    const address = {
      target: target.name,
      link: link.name,
      ...(environment !== undefined && { environment }),
    };
    const call: EncodeCall = {
      ...address,
      component: telecommand.component,
      ...(instance !== undefined && { instance }),
      telecommand: telecommand.name,
      args,
    };
    const encoded = await askDriver(driver.value, 'encode', call, ports);
    if (!encoded.ok) return encoded;
    const { frame, text } = encoded.value;
    const reply: Encoded = {
      ...address,
      driver: driver.value.name,
      telecommand: written,
      args,
      frame,
      size: frame.length / 2,
      ...(text !== undefined && { text }),
    };
    return { ok: true, value: { status: 200, body: reply } };
  },
});

export const decodeFrame = defineRoute({
  method: 'POST',
  path: '/v1/decode',
  changesNothing: true,
  operationId: 'decodeFrame',
  summary: 'Decode a frame without publishing its samples',
  description: 'Give the frame as hexadecimal digits in `frame`, or as `text` for a text protocol.',
  tag: 'Telecommands',
  body: DecodeRequest,
  replies: { 200: Decoded },
  errors: [
    'api::invalid-frame',
    'api::unknown-target',
    'api::unknown-link',
    'api::unknown-environment',
    'driver::decode-failed',
    ...DRIVER_ERRORS,
  ],
  async handle({ body }, ports) {
    const frame = frameOf(body);
    if (!frame.ok) return frame;
    const invalid = checkDriverName(body.driver);
    if (invalid !== undefined) return invalid;
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const resolved = resolveDecode(mission.value, body);
    if (!resolved.ok) return resolved;
    const { target, link, environment } = resolved.value;
    const driver = driverOf(link, body.driver);
    if (!driver.ok) return driver;
    const address = {
      target: target.name,
      link: link.name,
      ...(environment !== undefined && { environment }),
    };
    const call: DecodeCall = { ...address, frame: frame.value };
    const decoded = await askDriver(driver.value, 'decode', call, ports);
    if (!decoded.ok) return decoded;
    const reply: Decoded = { ...address, driver: driver.value.name, samples: [...decoded.value.samples] };
    return { ok: true, value: { status: 200, body: reply } };
  },
});

/** The frame as hexadecimal without spaces; refuses with `api::invalid-frame` anything else. */
function frameOf({ frame, text }: DecodeRequest): Handled<string> {
  if ((frame === undefined) === (text === undefined)) {
    return invalidFrame(`give either frame or text, not ${frame === undefined ? 'neither' : 'both'}`);
  }
  const hex =
    text === undefined ? frame!.replace(/\s+/g, '').toLowerCase() : Buffer.from(text).toString('hex');
  if (hex === '') return invalidFrame('the frame is empty');
  if (!/^[0-9a-f]*$/.test(hex)) return invalidFrame('the frame is not hexadecimal');
  if (hex.length % 2 !== 0) return invalidFrame(`the frame has an odd number of digits, ${hex.length}`);
  if (hex.length / 2 > FRAME_BYTES) return invalidFrame(`the frame is longer than ${FRAME_BYTES} bytes`);
  return { ok: true, value: hex };
}

function invalidFrame(message: string): Handled<never> {
  return refuse('api::invalid-frame', message, {
    help: 'Send frame as pairs of hexadecimal digits, or text for a text protocol.',
  });
}

export const linkRoutes = [encodeTelecommand, decodeFrame];
