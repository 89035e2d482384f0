/**
 * Moves transfers that are long over from those that every process holds to those that are read where somebody asks for
 * them (decision 36). Led by one process of the cell. What cannot be moved stays, and keeps no other back: it is behind
 * the others in the next round.
 */

import { TRANSFERS_AGED_AT_ONCE } from '../../contract/limits/transfer.ts';
import { transferKey } from '../../contract/transfer.ts';
import type { TransferBook } from '../../messaging/transfer-book.ts';
import { isLongOver, TransfersOver } from '../../messaging/transfers-over.ts';
import type { Bus } from '../../ports/bus.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { type AgeingOptions, AgeingRounds } from './ageing-rounds.ts';
import { isContentDue, removeContent } from './content-ageing.ts';

export interface TransferAgeingOptions extends AgeingOptions {
  readonly bus: Bus;
  readonly missions: MissionSource;
  readonly transfers: TransferBook;
}

export function startTransferAgeing(options: TransferAgeingOptions): AgeingRounds {
  const { bus, clock, missions, transfers } = options;
  const over = new TransfersOver(options);
  let last = '';
  const rounds = new AgeingRounds(options, async () => {
    if (!transfers.live) return true;
    const now = clock.now();
    const waiting = transfers
      .transfers()
      .filter((transfer) => isLongOver(transfer, now))
      .map((transfer) => ({ transfer, key: transferKey(transfer) }))
      .filter(({ key }) => key > last)
      .sort((one, other) => (one.key < other.key ? -1 : 1));
    const some = waiting.slice(0, TRANSFERS_AGED_AT_ONCE);
    const isFull = some.length < waiting.length;
    last = isFull ? some.at(-1)!.key : '';
    const those = some.map(({ transfer }) => transfer);
    for (const transfer of await over.keep(those, now)) {
      if (!rounds.goesOn) return false;
      const keptMs = missions.current?.settings.contentRetentionMs;
      // Its day may have been looked at already (content-ageing.C1).
      if (keptMs !== undefined && isContentDue(transfer, keptMs, now)) await removeContent(bus, [transfer]);
      await over.leave(transfer);
    }
    return isFull;
  });
  rounds.start();
  return rounds;
}
