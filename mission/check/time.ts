/**
 * On-board times of packets: CCSDS day segmented (CDS) and unsegmented (CUC) codes, and times in parts of their own,
 * all reduced to unsigned parts and what one unit of each is in ms.
 */

import type { FaultsAt } from '../document/fault.ts';
import type { PacketTime } from '../document/layout.ts';
import type { TimeConfiguration } from '../layout/layout.ts';
import { checkPosition } from './field.ts';
import { durationIn } from './quantity.ts';

const MS_PER_DAY = 86_400_000;
const MS_PER_UNIT = { days: MS_PER_DAY, s: 1000, ms: 1, us: 1e-3, ns: 1e-6 } as const;

type Part = TimeConfiguration['parts'][number];

/** The time as far as it holds. */
export function checkTime({ cds, cuc, parts }: PacketTime, faults: FaultsAt): TimeConfiguration | undefined {
  if (cds !== undefined) return { epochMs: epochOf(cds, faults.in('cds')), parts: cdsParts(cds) };
  if (cuc !== undefined) return { epochMs: epochOf(cuc, faults.in('cuc')), parts: cucParts(cuc) };
  if (parts === undefined) return undefined;
  return { epochMs: epochOf(parts, faults.in('parts')), parts: ownParts(parts, faults.in('parts')) };
}

function epochOf({ epoch, offset }: { epoch: string; offset?: string }, faults: FaultsAt): number {
  const at = Date.parse(epoch);
  if (Number.isNaN(at)) faults.in('epoch').fault(`"${epoch}" is no date`, 'write one like 1958-01-01');
  const shift = offset === undefined ? 0 : durationIn(offset, faults.in('offset'), { negative: true });
  return at + (shift ?? 0);
}

function cdsParts({ at, preamble, days = 'u16', fraction = 'none' }: NonNullable<PacketTime['cds']>): Part[] {
  const start = (at + (preamble === true ? 1 : 0)) * 8;
  const dayBits = days === 'u16' ? 16 : 24;
  const parts: Part[] = [
    { at: start, bits: dayBits, ms: MS_PER_DAY },
    { at: start + dayBits, bits: 32, ms: 1 },
  ];
  if (fraction === 'us') parts.push({ at: start + dayBits + 32, bits: 16, ms: 1e-3 });
  if (fraction === 'ps') parts.push({ at: start + dayBits + 32, bits: 32, ms: 1e-9 });
  return parts;
}

function cucParts({ at, preamble, coarse = 4, fine = 0 }: NonNullable<PacketTime['cuc']>): Part[] {
  const start = (at + (preamble === true ? 1 : 0)) * 8;
  const seconds: Part = { at: start, bits: coarse * 8, ms: 1000 };
  if (fine === 0) return [seconds];
  return [seconds, { at: start + coarse * 8, bits: fine * 8, ms: 1000 / 2 ** (8 * fine) }];
}

function ownParts(document: NonNullable<PacketTime['parts']>, faults: FaultsAt): Part[] {
  const units = ['days', 's', 'ms', 'us', 'ns'] as const;
  const found = units.flatMap((unit) => {
    const part = document[unit];
    if (part === undefined) return [];
    const { at, bit = 0, ...rest } = part;
    const shape = checkPosition({ ...rest, to: 'skip' }, () => undefined, faults.in(unit));
    if (shape === undefined) return [];
    if (shape.kind !== 'unsigned' || shape.bits > 53) {
      faults
        .in(unit)
        .fault('a part of a time is an unsigned integer of at most 53 bits', 'take u8, u16 or u32');
      return [];
    }
    if (shape.little === true && bit !== 0) {
      faults.in(unit, 'endian').fault('little endian needs a byte boundary', 'leave bit out');
    }
    const little = shape.little === true ? { little: true as const } : {};
    return [{ at: at * 8 + bit, bits: shape.bits, ...little, ms: MS_PER_UNIT[unit] }];
  });
  if (found.length === 0) faults.fault('it has no part', 'give days, s, ms, us or ns');
  return found;
}
