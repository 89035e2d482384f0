/**
 * Messages of gateways and decoders, read with suspicion: they may be of others. What is no message of its subject is
 * undefined, and a watcher passes over it.
 */

import { type DecodedBatch, decodeBatch, type FrameBatch } from '../../contract/batch.ts';
import { type GatewayReport, LINK_STATES, type SentMessage } from '../../contract/link.ts';
import { readReply } from '../../contract/reply.ts';
import { fitsPlatform, readBatch } from '../../telemetry/reading/batch-shape.ts';

/** Latest instant a date can hold, ms since 1970. */
const LATEST_MS = 8.64e15;
const OUTCOMES: readonly string[] = ['sent', 'refused', 'unknown'] satisfies SentMessage['outcome'][];
const HEXADECIMAL = /^([0-9a-f]{2})*$/i;

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

export function readSent(data: Uint8Array): SentMessage | undefined {
  const message = parsed<SentMessage>(data);
  const { target, key, frame, outcome, at, detail } = message ?? {};
  const isWhole =
    typeof target === 'string' &&
    typeof key === 'string' &&
    typeof frame === 'string' &&
    HEXADECIMAL.test(frame) &&
    OUTCOMES.includes(String(outcome)) &&
    (detail === undefined || typeof detail === 'string') &&
    isInstant(at);
  return isWhole ? (message as SentMessage) : undefined;
}

export function readReport(data: Uint8Array): Pick<GatewayReport, 'gateway' | 'link'> | undefined {
  const { gateway, link } = parsed<GatewayReport>(data) ?? {};
  const isWhole =
    typeof gateway === 'string' &&
    link !== undefined &&
    LINK_STATES.some((state) => state === link?.state) &&
    isInstant(link.since) &&
    (link.reason === undefined || typeof link.reason === 'string');
  return isWhole ? { gateway, link } : undefined;
}

function isInstant(at: unknown): at is number {
  return typeof at === 'number' && Math.abs(at) <= LATEST_MS;
}

function parsed<Message>(data: Uint8Array): Partial<Message> | undefined {
  return readReply(data) as Partial<Message> | undefined;
}
