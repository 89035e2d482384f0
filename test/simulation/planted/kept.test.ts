/** The checkers of what is kept beside logs, shown to fail: a process that keeps, reads or removes wrongly. */

import { describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { isKept, keptBytes, readEnvelope } from '../../../messaging/kept-envelopes.ts';
import type { Bucket, Bus } from '../../../ports/bus.ts';
import type { KeptEnvelope } from '../../../ports/entity.ts';
import { ROLES } from '../../../supervision/role.ts';
import { storedRuns } from '../run-history.ts';
import type { Fault, Scenario, Slot } from '../scenario.ts';
import { attempt } from '../trial.ts';
import { TwinServer } from '../twin/server.ts';
import type { RunOptions } from '../world.ts';
import { withBucket } from './run-defects.ts';

const slot = (n: number): Slot => ({ roles: [...ROLES], host: `host${n}`, skewMs: 0, startMs: 100 * n });

/** A run that asks and waits, a telecommand that waits for its verification; both executors die on the way. */
const deaths: readonly Fault[] = [0, 1].map((n) => ({
  at: 7_000 + 6_000 * n,
  slot: n,
  kind: 'crash',
  backMs: 1_500,
}));
const scenario: Scenario = {
  seed: 11,
  slots: [slot(0), slot(1)],
  submissions: [
    { at: 3_000, target: 'sat2', telecommand: 'obc.ping', args: {}, slot: 0, again: [] },
    { at: 5_000, target: 'sat2', telecommand: 'obc.ping', args: {}, slot: 1, again: [] },
  ],
  launches: [0, 1, 2].map((serial) => ({
    at: 3_000 + 1_000 * serial,
    slot: serial % 2,
    what: {
      kind: 'procedure',
      request: {
        run: 'tune',
        environment: 'bench',
        targets: { sat: 'sat1' },
        inputs: { serial, period: '60 s' },
      },
    },
    commands: [{ afterMs: 200, slot: 0, action: 'suspend' }],
  })),
  faults: deaths,
  calmAt: 18_000,
};

function keeping(replaced: (bucket: Bucket) => Partial<Bucket>): RunOptions {
  return { wrapBus: (bus: Bus) => withBucket(bus, buckets.actors.name, replaced) };
}

/** The same bytes with another envelope in them, as if it had been kept so. */
function altered(value: Uint8Array, how: (envelope: KeptEnvelope) => KeptEnvelope): Uint8Array {
  const envelope = readEnvelope({ value });
  return envelope !== undefined && isKept(envelope) ? keptBytes(how(envelope)) : value;
}

/** One more event than the log has. */
const ahead = (envelope: KeptEnvelope): KeptEnvelope => ({ ...envelope, revision: envelope.revision + 1 });

async function brokenBy(options: RunOptions): Promise<Set<string>> {
  const { violations } = await attempt(scenario, options);
  return new Set(violations.map(({ checker }) => checker));
}

it('nothing is broken where nothing is planted, and entities are restored from what is kept', async () => {
  let read = 0;
  const counting = keeping((bucket) => ({
    get: async (key) => {
      const entry = await bucket.get(key);
      if (entry !== undefined) read += 1;
      return entry;
    },
  }));
  expect(await brokenBy(counting)).toEqual(new Set());
  expect(read).toBeGreaterThan(0);
});

describe('planted defects of what is kept', () => {
  it('an envelope that is kept of what is not in the log is found', async () => {
    const options = keeping((bucket) => ({
      put: (key, value, expected) => bucket.put(key, altered(value, ahead), expected),
    }));
    expect(await brokenBy(options)).toContain('kept-is-the-log');
  });

  it('an owner that goes on from an envelope of something else is found', async () => {
    const options = keeping((bucket) => ({
      get: async (key) => {
        const entry = await bucket.get(key);
        return entry && { ...entry, value: altered(entry.value, ahead) };
      },
    }));
    expect(await brokenBy(options)).toContain('kept-is-the-log');
  });

  it('an owner that leaves what it kept of an entity that is over is found', async () => {
    const options = keeping(() => ({ remove: async () => ({ outcome: 'written', revision: 1 }) }));
    expect(await brokenBy(options)).toContain('nothing-kept-of-what-is-over');
  });
});

it('a program that a bucket lost still says what a log of a later moment means', () => {
  const server = new TwinServer({ now: () => 20, choose: () => 0 });
  server.publish(server.bucket(buckets.programs), {
    subject: `$KV.${buckets.programs.name}.digest`,
    data: Buffer.from('{}'),
    headers: {},
    id: 'digest',
    expect: 0,
    writer: 'p0-1.1',
    by: 'p0-1',
    removal: false,
  });
  server.turn(false);
  server.rewind(() => 10);
  expect([...storedRuns(server).programs.keys()]).toEqual(['digest']);
});
