/** What archives leave behind, for the checkers. Nothing here is judged. */

import type { PlatformColumns } from '../../../archive/platform-columns.ts';
import type { ArchiveState } from '../../../contract/archive-wire.ts';
import { decodeBatch, type ValueBatch } from '../../../contract/batch.ts';
import { streams } from '../../../contract/bus/streams.ts';
import type { Buckets, Damage, Gap, HistoryQuery, HistorySample } from '../../../contract/history.ts';
import { archivable } from '../../../supervision/archive/readable.ts';
import { samplesOf } from '../../archive/values.ts';
import type { TwinServer } from '../twin/server.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';

/** A call of the work of an archive that was done (archive/work.ts). */
export interface WorkDone {
  readonly archive: string;
  readonly instance: string;
  readonly name: string;
  readonly args: readonly unknown[];
  /** Time of day of the world. */
  readonly asked: number;
  readonly at: number;
  readonly value: unknown;
}

/** A sample as it was received: no two of a measure have the same ground time. */
export interface SentSample extends HistorySample {
  readonly key: string;
  readonly target: string;
  readonly message: SentMessage;
}

export interface SentMessage {
  readonly stored: StoredMessage;
  readonly target: string;
  readonly isReadable: boolean;
  readonly samples: readonly SentSample[];
}

/** What an archive said of itself, and when. */
export interface Announced {
  readonly at: number;
  /** Time of day of the world. */
  readonly wall: number;
  readonly state: ArchiveState;
}

/** A question that was answered to its last page. */
export interface AnsweredQuestion {
  readonly query: HistoryQuery;
  /** Places behind what was stored last. */
  readonly askedAt: number;
  readonly answeredAt: number;
  /** What the archive said of itself last before, and first behind it. */
  readonly before: ArchiveState | undefined;
  after: ArchiveState | undefined;
  readonly samples: readonly HistorySample[];
  readonly gaps: readonly Gap[];
  readonly damaged: readonly Damage[];
  readonly thinned: boolean;
}

/** Everything that an archive has of one target, asked for when nothing goes wrong any more, or read from its disk. */
export interface Everything extends Omit<AnsweredQuestion, 'before' | 'after' | 'askedAt' | 'answeredAt'> {
  readonly archive: string;
  readonly from: 'owner' | 'disk';
  /** Absent of a disk. */
  readonly buckets?: Buckets;
  /** Time of day of the world. */
  readonly at: number;
}

export interface ArchiveHistory {
  readonly sent: readonly SentMessage[];
  readonly announced: readonly Announced[];
  readonly answered: readonly AnsweredQuestion[];
  readonly everything: readonly Everything[];
  readonly done: readonly WorkDone[];
  /** Archives that there are. */
  readonly archives: readonly string[];
  readonly retains: boolean;
  /** Largest error of a clock, ms. */
  readonly skewMs: number;
}

/** What was ever received, in its order. */
export function sentMessages(server: TwinServer, platform: PlatformColumns): SentMessage[] {
  return server.stream(streams.values).everything.map((stored) => sentMessage(stored, platform));
}

function sentMessage(stored: StoredMessage, platform: PlatformColumns): SentMessage {
  const { subject, seq, data } = stored;
  const target = subject.slice(subject.lastIndexOf('.') + 1);
  const samples: SentSample[] = [];
  const isReadable = archivable(data) !== undefined;
  const message = { stored, target, isReadable, samples };
  if (isReadable) {
    const batch = decodeBatch<ValueBatch>(data);
    for (const sample of samplesOf({ position: seq, batch }, platform))
      samples.push({ ...sample, target, message });
  }
  return message;
}
