/**
 * Removes the content of downloads that have been over for longer than `transfers.retention` of the configuration, a
 * day of them at a time. Their records stay for a year. Led by one process of the cell.
 *
 * C1. A day is looked at once, when all of it is old enough: that costs what is removed, whatever is kept. What is
 *     moved to such a day later loses its content first (transfer-ageing).
 * C2. The day is noted when its content is gone: whoever dies before does it again, and removes nothing twice.
 */

import { objectStores } from '../../contract/bus/buckets.ts';
import { TRANSFER_REMOVALS_AT_ONCE } from '../../contract/limits/transfer.ts';
import { contentObject, type StoredTransfer } from '../../contract/transfer.ts';
import { beginOf, DAY_MS } from '../../messaging/aged-records.ts';
import { TransferDays } from '../../messaging/transfer-days.ts';
import { TransfersOver } from '../../messaging/transfers-over.ts';
import type { Bus } from '../../ports/bus.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { type AgeingOptions, AgeingRounds } from './ageing-rounds.ts';

interface ContentAgeingOptions extends AgeingOptions {
  readonly bus: Bus;
  readonly missions: MissionSource;
}

export function startContentAgeing(options: ContentAgeingOptions): AgeingRounds {
  const { bus, clock, log, missions } = options;
  const over = new TransfersOver(options);
  const noted = new TransferDays(options);
  const rounds = new AgeingRounds(options, async () => {
    const keptMs = missions.current?.settings.contentRetentionMs;
    if (keptMs === undefined) return true;
    const last = (await noted.withoutContent()) ?? '';
    const isDue = (day: string): boolean => beginOf(day) + DAY_MS <= clock.now() - keptMs;
    const due = (await over.dayNames()).filter((day) => day > last && isDue(day));
    const [day] = due;
    if (day === undefined) return false;
    let removed = 0;
    for await (const transfers of over.byTarget(day)) {
      if (!rounds.goesOn) return false;
      removed += await removeContent(bus, transfers);
    }
    if (!rounds.goesOn) return false;
    // C2
    await noted.noteWithoutContent(day);
    if (removed > 0) log.info({ day, files: removed }, 'content of transfers removed: transfers.retention');
    return due.length > 1;
  });
  rounds.start();
  return rounds;
}

/** Whether it has been over for as long. */
export function isContentDue({ updated_at }: StoredTransfer, keptMs: number, now: number): boolean {
  return Date.parse(updated_at) <= now - keptMs;
}

/** How many of them had any. Throws `Outage`. */
export async function removeContent(bus: Bus, transfers: readonly StoredTransfer[]): Promise<number> {
  const objects = bus.objects(objectStores.files);
  const those = transfers.filter(
    ({ direction, actor }) => direction === 'download' && actor.content !== undefined,
  );
  for (let next = 0; next < those.length; next += TRANSFER_REMOVALS_AT_ONCE) {
    const some = those.slice(next, next + TRANSFER_REMOVALS_AT_ONCE);
    await Promise.all(some.map((each) => objects.remove(contentObject(each))));
  }
  return those.length;
}
