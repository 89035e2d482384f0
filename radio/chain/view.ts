/** What the rows of the chain look at, and the words and commands they share. */

import type { ChainTarget } from '../../contract/bench/chain.ts';
import { signed } from '../board/modem.ts';
import { mapped, type Observed } from '../board/observed.ts';
import type { BoardReading, SideReading } from '../board/reading.ts';
import type { RegisterName } from '../board/registers.ts';
import type { ChainView, Finding } from './condition.ts';
import { judged, NO_BOARD } from './finding.ts';

export const EVERYWHERE: readonly ChainTarget[] = ['air', 'device-loopback', 'pl-loopback'];
/** The path inside the logic does not pass the part. */
export const THROUGH_THE_PART: readonly ChainTarget[] = ['air', 'device-loopback'];
export const AIR: readonly ChainTarget[] = ['air'];
export const SIDES = ['rx', 'tx'] as const;

/** Gains are set in quarters of a decibel at the finest. */
const GAIN_TOLERANCE_DB = 0.13;

// What is read --------------------------------------------------------------------------------------------------------

export function read<Value>(
  { board }: ChainView,
  pick: (board: BoardReading) => Observed<Value>,
): Observed<Value> {
  return board === undefined ? NO_BOARD : pick(board);
}

/** Bits of a register. */
export function bits(view: ChainView, name: RegisterName, mask: number): Observed<number> {
  return read(view, ({ registers }) => mapped(registers[name], (value) => value & mask));
}

export function ofSide(
  view: ChainView,
  side: 'rx' | 'tx',
  name: keyof SideReading,
): Observed<number | boolean> {
  return read<number | boolean>(view, (board) => board[side][name]);
}

export function numberOf(view: ChainView, side: 'rx' | 'tx', name: keyof SideReading): Observed<number> {
  return mapped(ofSide(view, side, name), Number);
}

/** The strongest of the transmitters: of the one that the modem drives, and of another that is there. */
export function strongestDb(view: ChainView): Observed<number> {
  const first = numberOf(view, 'tx', 'gainDb');
  const second = read(view, ({ secondGainDb }) => secondGainDb);
  if ('error' in first || 'error' in second) return 'error' in first ? first : (second as { error: string });
  return { value: Math.max(first.value, second.value ?? first.value) };
}

/** Digital offset of one direction. */
export function offset(view: ChainView, side: 'rx' | 'tx'): Observed<number> {
  return read(view, ({ registers }) =>
    mapped(registers[side === 'rx' ? 'receiveOffset' : 'transmitOffset'], signed),
  );
}

// What is found -------------------------------------------------------------------------------------------------------

export function near(seen: Observed<number>, wanted: number, tolerance: number): Finding {
  return judged(seen, String(wanted), (value) => Math.abs(value - wanted) <= tolerance);
}

export function decibels(seen: Observed<number>, wanted: number): Finding {
  return judged(
    seen,
    `${wanted} dB`,
    (db) => Math.abs(db - wanted) <= GAIN_TOLERANCE_DB,
    (db) => `${db} dB`,
  );
}

// What fixes it -------------------------------------------------------------------------------------------------------

export function apply({ session }: ChainView): string {
  return `POST /api/v1/profiles/${session.profile?.name ?? '{name}'}/apply`;
}

export function recover(): string {
  return 'POST /api/v1/chain/recover';
}

export function enable(): string {
  return 'POST /api/v1/datapath/enable';
}
