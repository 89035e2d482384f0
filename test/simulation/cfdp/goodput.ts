/** How much of a link a transfer uses: the file over the time and the rate of the link while it was there. */

import type { CfdpScenario, Outage } from './scenario.ts';
import { runCfdp } from './world.ts';

export interface GoodputCase {
  readonly bytes: number;
  readonly bitsPerSecond: number;
  /** Of each PDU, each way. */
  readonly loss: number;
  readonly direction?: 'down' | 'up';
  /** Length of passes, with as long between them; none: the link is always there. */
  readonly passMs?: number | undefined;
  readonly naks?: 'immediate' | 'deferred';
  readonly seed?: number;
}

const ROUND_TRIP_MS = 600;
const PASSES = 100;
const FOREVER_MS = 1e9;

function scenarioOf({
  bytes,
  bitsPerSecond,
  loss,
  direction = 'down',
  passMs,
  naks,
  seed = 1,
}: GoodputCase): CfdpScenario {
  const weather = {
    bytesPerSecond: bitsPerSecond / 8,
    loss,
    duplication: 0,
    delayMs: ROUND_TRIP_MS / 2,
    jitterMs: 0,
  };
  const outages =
    passMs === undefined
      ? []
      : Array.from({ length: PASSES }, (_, n): Outage => {
          return { at: (2 * n + 1) * passMs, forMs: passMs, informed: ['ground', 'space'] };
        });
  return {
    seed,
    down: weather,
    up: { ...weather, bytesPerSecond: bitsPerSecond / 32 },
    ...(direction === 'up' && { up: weather, down: { ...weather, bytesPerSecond: bitsPerSecond / 32 } }),
    outages,
    acts: [],
    files: [{ at: 0, name: 'image', size: bytes, direction }],
    settings: {
      pduBytes: 1_024,
      idBytes: 2,
      sequenceBytes: 4,
      crc: true,
      crcRequired: true,
      checksumType: 0,
      naks: naks ?? 'immediate',
    },
    calmAt: FOREVER_MS,
    isGentle: true,
  };
}

/** Time of the link until `at`, without what lies between passes. */
function linkTime(at: number, passMs: number | undefined): number {
  if (passMs === undefined) return at;
  const rounds = Math.floor(at / (2 * passMs));
  return rounds * passMs + Math.min(passMs, at - rounds * 2 * passMs);
}

export interface Goodput {
  readonly ratio: number;
  readonly seconds: number;
  readonly attempts: number;
  readonly faults: readonly string[];
  /** What the sender sent of the link's bytes, for each byte of the file. */
  readonly sentPerByte: number;
}

export function goodputOf(test: GoodputCase): Goodput {
  const run = runCfdp(scenarioOf(test), {
    until: ({ parties }) => parties.ground.wishes[0]!.state === 'done',
  });
  const [wish] = run.parties.ground.wishes;
  const ms = linkTime(wish!.doneAt, test.passMs);
  const line = run.lines[test.direction === 'up' ? 'ground' : 'space'];
  return {
    ratio: (test.bytes * 8_000) / ms / test.bitsPerSecond,
    seconds: ms / 1_000,
    attempts: wish!.attempts,
    faults: [...run.faults, ...run.parties.ground.faults, ...run.parties.space.faults],
    sentPerByte: line.sentBytes / test.bytes,
  };
}
