/**
 * What must not grow while everything that comes also goes. What the streams keep for days grows by design and with it
 * the bus: that is divided by what caused it.
 */

import type { BusLook, ProcessLook } from './look.ts';
import { type Allowance, type Slope, slopeOf } from './slope.ts';

export interface Look {
  readonly atMs: number;
  readonly bus: BusLook;
  readonly process: ProcessLook;
}

export interface Verdict extends Slope {
  readonly name: string;
}

interface Watched {
  readonly name: string;
  readonly of: (look: Look) => number;
  readonly allowance: Allowance;
}

/** Keys that stand for what is there now. */
const LIVE_BUCKETS = ['members', 'leases', 'open_runs', 'leader', 'modes', 'actors', 'alarms'] as const;
/** What is under way, and what is left of removed keys until it is swept, comes and goes with the traffic. */
const KEYS: Allowance = { absolute: 200, share: 0.05 };

const WATCHED: readonly Watched[] = [
  {
    name: 'service: memory in use, MB',
    of: ({ process }) => process.heapMb,
    allowance: { absolute: 8, share: 0.05 },
  },
  {
    name: 'service: resident, MB',
    of: ({ process }) => process.rssMb,
    allowance: { absolute: 64, share: 0.1 },
  },
  {
    name: 'service: descriptors',
    of: ({ process }) => process.descriptors,
    allowance: { absolute: 12, share: 0 },
  },
  { name: 'bus: connections', of: ({ bus }) => bus.connections, allowance: { absolute: 1, share: 0 } },
  {
    name: 'bus: subscriptions',
    of: ({ bus }) => bus.subscriptions,
    allowance: { absolute: 40, share: 0.02 },
  },
  { name: 'bus: consumers', of: ({ bus }) => bus.consumers, allowance: { absolute: 20, share: 0.02 } },
  ...LIVE_BUCKETS.map((bucket) => ({
    name: `keys of mcs_${bucket}`,
    of: ({ bus }: Look) => bus.messages[`KV_mcs_${bucket}`] ?? 0,
    allowance: KEYS,
  })),
];

/** Throws when too few looks were taken. */
export function verdictsOf(looks: readonly Look[]): Verdict[] {
  return WATCHED.map(({ name, of, allowance }) => ({
    name,
    ...slopeOf(
      looks.map((look) => ({ atMs: look.atMs, value: of(look) })),
      allowance,
    ),
  }));
}

interface About {
  readonly looks: readonly Look[];
  readonly telecommands: number;
}

export function printed(verdicts: readonly Verdict[], { looks, telecommands }: About): string {
  const rows = verdicts.map(({ name, first, last, perHour, gained, flat }) =>
    [
      name.padEnd(28),
      figure(first),
      figure(last),
      figure(perHour),
      figure(gained),
      flat ? 'flat' : 'GROWS',
    ].join(' '),
  );
  const [begin, end] = [looks[0]!.bus, looks.at(-1)!.bus];
  const each = ((end.heapMb - begin.heapMb) * 1e6) / Math.max(1, telecommands);
  return [
    `${''.padEnd(28)} ${['first', 'last', 'per hour', 'gained'].map((word) => word.padStart(10)).join(' ')}`,
    ...rows,
    `bus: in use ${begin.heapMb.toFixed(0)} to ${end.heapMb.toFixed(0)} MB, resident ${begin.rssMb.toFixed(0)} to ${end.rssMb.toFixed(0)} MB, stored ${(end.bytes / 1e6).toFixed(0)} MB: ${each.toFixed(0)} bytes in use for each telecommand`,
  ].join('\n');
}

function figure(value: number): string {
  return value.toFixed(Math.abs(value) < 100 ? 1 : 0).padStart(10);
}
