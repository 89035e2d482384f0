/**
 * How far a reader of a stream is behind, and whether the stream will discard what it has not read. Pure. Mission
 * Control Service, section 2.11.
 *
 * L1. A stream discards its oldest messages by age and by size. Time left is until the oldest unread one is discarded
 *     when both go on as they are: the stream growing at its present rate, the reader reading at its own.
 * L2. A reader is at risk when less than `CONNECTOR_RISK_SHARE` of the time that the stream keeps messages is left, and
 *     when nobody can say how far it is. One that catches up in time is not.
 * L3. Of a reader of a whole stream what is lost is counted by positions. Of one that reads some subjects only what is
 *     counted is the least that can have been lost, from what was unread at the look before. Redeliveries make either
 *     less, never more.
 */

import type { ConnectorRead } from '../contract/connector-wire.ts';
import { CONNECTOR_RISK_SHARE } from '../contract/limits/connector.ts';
import type { LostMessages } from '../contract/stored-connector.ts';
import type { StreamLevel } from '../ports/stream-levels.ts';
import { keptS, type StreamRate } from './stream-rates.ts';

/** Where a reader stands. */
export interface ReaderLevel {
  /** Everything of it up to this position is read. */
  readonly floor: number;
  /** Whether it reads all that the stream holds. */
  readonly isWhole: boolean;
  /** Deliveries that are acknowledged; undefined for one that keeps its position itself. */
  readonly acked: number | undefined;
  readonly pending: number;
  readonly unacked: number;
  readonly oldest: { readonly seq: number; readonly at: number } | undefined;
}

export interface LagInput {
  readonly stream: string;
  readonly level: StreamLevel;
  readonly rate: StreamRate;
  readonly reader: ReaderLevel;
  /** Positions of the stream that it passes in a second; undefined before it is known. */
  readonly readsPerS: number | undefined;
  /** Whether its connector lives. */
  readonly alive: boolean;
  readonly lost: LostMessages | undefined;
  /** ms since 1970 */
  readonly now: number;
}

export interface Lag {
  readonly lagS: number;
  readonly atRisk: boolean;
  readonly retentionS: number;
  readonly fill: number | undefined;
  readonly reason: string | undefined;
}

export function lagOf(input: LagInput): Lag {
  const { stream, level, rate, reader, lost, now } = input;
  const { oldest, floor } = reader;
  const retentionS = keptS(level, rate);
  const lagS = oldest === undefined ? 0 : Math.max(0, (now - oldest.at) / 1_000);
  const wentBack = floor > level.lastSeq;
  const leftS = oldest === undefined ? Number.POSITIVE_INFINITY : timeLeftS(input, oldest);
  const atRisk = wentBack || leftS < CONNECTOR_RISK_SHARE * retentionS;
  const reasons = [
    ...(wentBack
      ? [
          `${stream} ends at position ${level.lastSeq}, before what was read (${floor}): it is another one, or went back`,
        ]
      : []),
    ...(atRisk && !wentBack ? [riskText(input, leftS)] : []),
    ...(lost === undefined ? [] : [lostText(stream, lost)]),
  ];
  return {
    lagS,
    atRisk,
    retentionS,
    fill: fillOf(level),
    reason: reasons.length === 0 ? undefined : reasons.join('; '),
  };
}

/** Share of its size that a stream takes; undefined for one without a size. */
export function fillOf({
  bytes,
  maxBytes,
  share,
}: Pick<StreamLevel, 'bytes' | 'maxBytes' | 'share'>): number | undefined {
  return share ?? (maxBytes === undefined ? undefined : Math.min(1, bytes / maxBytes));
}

/** What of a reader is compared with the next look. */
export interface ReaderBefore {
  readonly floor: number;
  readonly acked: number | undefined;
  readonly unread: number;
  readonly oldestSeq: number | undefined;
  readonly gap: number | undefined;
}

export function beforeOf(level: StreamLevel, reader: ReaderLevel): ReaderBefore {
  const { floor, acked, pending, unacked, oldest } = reader;
  return { floor, acked, unread: pending + unacked, oldestSeq: oldest?.seq, gap: gapOf(level, reader) };
}

/** What a connector that stores many messages at once has taken, and not stored. */
export interface Taken {
  /** Messages, of those that are pending. */
  readonly held: number;
  /** Age of the oldest message that it had not taken (connector-taken.T1); 0: it had taken all. */
  readonly behindS: number;
  /** When it stores them, as it said; undefined where it holds none. */
  readonly storesAt: string | undefined;
}

/** One reader of a connector as it stood at the last look. */
export interface ConnectorLag {
  readonly connector: string;
  readonly read: ConnectorRead;
  readonly stream: string;
  /** Whether its connector lives, and what it reads by is there. */
  readonly active: boolean;
  /** ms since 1970 */
  readonly at: number;
  readonly pending: number;
  readonly unacked: number;
  readonly oldestAt: number | undefined;
  /** Undefined where it is not known how far it is. */
  readonly lag: Lag | undefined;
  readonly atRisk: boolean;
  readonly reason: string | undefined;
  /** Whether the rate of its stream is known from two looks. */
  readonly isMeasured: boolean;
  readonly lost: LostMessages | undefined;
  /** Of one that stores many messages at once. */
  readonly taken?: Taken | undefined;
}

/** What is lost by now; undefined: nothing more than was known (L3). */
export function lostNow(
  { level, reader, lost, now }: Pick<LagInput, 'level' | 'reader' | 'lost' | 'now'>,
  before: ReaderBefore | undefined,
): LostMessages | undefined {
  if (reader.floor > level.lastSeq) return undefined;
  const through = lost === undefined || lost.through > level.lastSeq ? 0 : lost.through;
  const isCounted = reader.isWhole && reader.floor > 0;
  const more = isCounted ? lostOfWhole(level, reader, before, through) : lostOfSome(level, reader, before);
  if (more <= 0) return undefined;
  return {
    messages: (lost?.messages ?? 0) + more,
    since: lost?.since ?? new Date(now).toISOString(),
    through: level.firstSeq - 1,
  };
}

/**
 * By positions: those between what is read and what stands, and of a consumer also those that it passed without a
 * delivery, which is how one that has read on shows what it lost.
 */
function lostOfWhole(
  level: StreamLevel,
  reader: ReaderLevel,
  before: ReaderBefore | undefined,
  through: number,
): number {
  const gap = gapOf(level, reader);
  if (gap !== undefined && before?.gap !== undefined && before.floor > 0) return gap - before.gap;
  return level.firstSeq - 1 - Math.max(reader.floor, through);
}

/** Positions without a message of this consumer, but for those of where it began; undefined for a position. */
function gapOf({ firstSeq }: StreamLevel, { floor, acked, isWhole }: ReaderLevel): number | undefined {
  return isWhole && acked !== undefined ? Math.max(floor, firstSeq - 1) - acked : undefined;
}

function lostOfSome(
  { firstSeq }: StreamLevel,
  { floor, acked, pending, unacked }: ReaderLevel,
  before: ReaderBefore | undefined,
): number {
  const oldestSeq = before?.oldestSeq;
  if (before === undefined || oldestSeq === undefined || oldestSeq >= firstSeq) return 0;
  const passed = acked === undefined ? 0 : acked - (before.acked ?? 0);
  const missing = before.unread - pending - unacked - passed;
  // What is discarded and was not read is one at least.
  if (floor < oldestSeq) return Math.max(1, missing);
  return acked === undefined ? 0 : missing;
}

/** L1; infinite for one that catches up. */
function timeLeftS(
  { level, rate, readsPerS = 0, now }: LagInput,
  oldest: { readonly seq: number; readonly at: number },
): number {
  const { maxAgeMs, maxBytes, bytes, messages, firstSeq } = level;
  const byAge = maxAgeMs === 0 ? Number.POSITIVE_INFINITY : (maxAgeMs - (now - oldest.at)) / 1_000;
  const { messagesPerS, bytesPerS } = rate;
  const mean = messages === 0 ? 0 : bytes / messages;
  const byBytes =
    maxBytes === undefined || bytesPerS === 0
      ? Number.POSITIVE_INFINITY
      : (Math.max(0, maxBytes - bytes) + Math.max(0, oldest.seq - firstSeq) * mean) / bytesPerS;
  const left = Math.max(0, Math.min(byAge, byBytes));
  const behind = messagesPerS === 0 ? (readsPerS > 0 ? 0 : 1) : 1 - readsPerS / messagesPerS;
  return behind <= 0 ? Number.POSITIVE_INFINITY : left / behind;
}

function riskText({ stream, reader, rate, readsPerS = 0, alive }: LagInput, leftS: number): string {
  const unread = reader.pending + reader.unacked;
  const reads = alive ? `${perSecond(readsPerS)} are read` : 'nobody reads them';
  return (
    `in ${durationText(leftS)} ${stream} begins to discard what is not read: ${unread} messages wait, ` +
    `${perSecond(rate.messagesPerS)} come, ${reads}`
  );
}

function lostText(stream: string, { messages, since }: LostMessages): string {
  return `${stream} discarded ${messages} messages before they were read, since ${since}`;
}

function perSecond(rate: number): string {
  return `${rate >= 10 ? Math.round(rate) : Math.round(10 * rate) / 10}/s`;
}

export function durationText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
