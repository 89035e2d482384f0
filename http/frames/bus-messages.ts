/**
 * Messages of gateways and decoders, read with suspicion: they may be of others. What is no message of its subject is
 * undefined, and a watcher passes over it.
 */

import type { DecodedBatch } from '../../contract/batch.ts';
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

const OUTCOMES: readonly string[] = ['sent', 'refused', 'unknown'] satisfies SentMessage['outcome'][];

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

function parsed<Message>(data: Uint8Array): Partial<Message> | undefined {
  return readReply(data) as Partial<Message> | undefined;
}
