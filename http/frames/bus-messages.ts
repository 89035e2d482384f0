/**
 * Messages of gateways and decoders, read with suspicion: they may be of others. What is no message of its subject is
 * undefined, and a watcher passes over it.
 */

import { type DecodedBatch, decodeBatch, type FrameBatch } from '../../contract/batch.ts';
import { isHexadecimal } from '../../contract/hexadecimal.ts';
import {
  type GatewayReport,
  LINK_STATES,
  type LinkCondition,
  reportedMoment,
  type SentMessage,
} from '../../contract/link.ts';
import { readReply } from '../../contract/reply.ts';
import { fitsPlatform, readBatch } from '../../telemetry/reading/batch-shape.ts';

/** Latest instant a date can hold, ms since 1970. */
const LATEST_MS = 8.64e15;
const OUTCOMES: readonly string[] = ['sent', 'refused', 'unknown'] satisfies SentMessage['outcome'][];

export function readFrames(data: Uint8Array): FrameBatch | undefined {
  try {
    const batch: Partial<FrameBatch> | undefined = decodeBatch<FrameBatch>(data);
    const { at, frames } = batch ?? {};
    if (!Array.isArray(frames) || !Array.isArray(at) || at.length !== frames.length) return undefined;
    const isWhole = frames.every((frame) => frame instanceof Uint8Array) && at.every(isInstant);
    return isWhole ? { at, frames } : undefined;
  } catch {
    return undefined;
  }
}

/** `measures`: how many the platform has that the batch names. */
export function readDecoded(data: Uint8Array, measures: number): DecodedBatch | undefined {
  const batch = readBatch<DecodedBatch>(data);
  return batch !== undefined && fitsPlatform(batch.blocks, measures) ? batch : undefined;
}

export type ReadSent = Omit<SentMessage, 'at'> & {
  /** ms since 1970 */
  readonly at: number;
};

export function readSent(data: Uint8Array): ReadSent | undefined {
  const message = parsed<SentMessage>(data);
  const { target, key, frame, outcome, detail } = message ?? {};
  const at = reportedMoment(message?.at);
  const isWhole =
    typeof target === 'string' &&
    typeof key === 'string' &&
    typeof frame === 'string' &&
    isHexadecimal(frame) &&
    OUTCOMES.includes(String(outcome)) &&
    (detail === undefined || typeof detail === 'string') &&
    at !== undefined;
  return isWhole ? { ...(message as SentMessage), at } : undefined;
}

export interface ReadReport {
  readonly gateway: string;
  readonly link: LinkCondition;
}

export function readReport(data: Uint8Array): ReadReport | undefined {
  const { gateway, link } = parsed<GatewayReport>(data) ?? {};
  const { state, reason } = link ?? {};
  const since = reportedMoment(link?.since);
  const isWhole =
    typeof gateway === 'string' &&
    state !== undefined &&
    LINK_STATES.includes(state) &&
    since !== undefined &&
    (reason === undefined || typeof reason === 'string');
  return isWhole ? { gateway, link: { state, since, ...(reason !== undefined && { reason }) } } : undefined;
}

function isInstant(at: unknown): at is number {
  return typeof at === 'number' && Math.abs(at) <= LATEST_MS;
}

function parsed<Message>(data: Uint8Array): Partial<Message> | undefined {
  return readReply(data) as Partial<Message> | undefined;
}
