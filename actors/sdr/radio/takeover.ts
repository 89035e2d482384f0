/**
 * Leaves the board to another bench that has taken the records of this one (roles/bench.R1).
 *
 * D1. From then on nothing that was asked here makes the board radiate, and no run stops what may be the other's.
 * D2. A setting that was under way may have made the board radiate after the other bench had silenced it: the board is
 *     silenced once more, unless the other one has begun to set it, which its record shows before it is done
 *     (command-queue.K4). What cannot be read has not begun.
 */

import type { RadioContext } from '../../../machines/bench/radio-protocol.ts';
import { changesOf } from '../../../machines/bench/radio-record.ts';
import { silence, silencedWords } from '../../../radio/board/silence.ts';
import type { Assembled } from './assembly.ts';
import { RADIO_ID } from './binding.ts';
import { REPLACED } from './command-queue.ts';

/** Resolves when the board is left. */
export async function leaveBoard({
  cell,
  queue,
  user,
  durable,
  attachment,
  late,
  log,
}: Assembled): Promise<void> {
  cell.replaced();
  const wasSetting = queue.replaced();
  user.refuseAll(REPLACED);
  const { board } = attachment;
  if (!wasSetting || board === undefined || (await isSetByOther(durable, board.context.name))) return;
  const silenced = await silence(board.context, board.modem, late);
  if (silenced !== undefined)
    log.warn({}, silencedWords(silenced, 'set by a command under way when another bench took the board'));
}

async function isSetByOther(durable: Assembled['durable'], board: string): Promise<boolean> {
  const stored = await durable.load(RADIO_ID).catch(() => undefined);
  const { context: other } = (stored?.envelope.snapshot ?? {}) as { readonly context?: RadioContext };
  const { written } = durable;
  if (other?.board?.name !== board || written === undefined) return false;
  const isSetting = other.running.some(({ uses }) => uses.includes('settings'));
  return isSetting || changesOf(other.record) !== changesOf(written);
}
