/**
 * The role of the bench over a record that cannot be read, or that is removed while it runs: on a real bus, with a
 * board that outlives it behind a real iiod protocol.
 */

import { Packr } from 'msgpackr';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Bucket, Bus } from '../../../ports/bus.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { Modem } from '../../../radio/board/modem.ts';
import { Phy } from '../../../radio/board/phy.ts';
import { controlBit, register } from '../../../radio/board/registers.ts';
import { type IiodServer, serveIiod } from '../../../radio/iio/server.ts';
import { createStub, type StubBoard } from '../../../radio/stub/stub.ts';
import type { BoardGuard } from '../../../supervision/bench/board-guard.ts';
import { NO_BENCH_DOCUMENTS } from '../../../supervision/bench/folder.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { realClock } from '../../../supervision/clock.ts';
import type { Role, RoleContext, RoleFactory } from '../../../supervision/role.ts';
import { benchRole } from '../../../supervision/roles/bench.ts';
import { FAST } from '../../actors/sdr/bench-world.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

const packr = new Packr({ useRecords: false, moreTypes: true });
const KEY = 'radio.board';
const ON_AIR_DB = -10;

let nats: TestNats;
let bus: Bus;
let records: Bucket;
let board: StubBoard;
let served: IiodServer;
/** The record of a life that has applied a profile twice. */
let whole: Buffer;
let bench: Started | undefined;

interface Started {
  readonly role: Role;
  readonly failures: string[];
  call(method: string, path: string, body?: object): Promise<{ status: number; body: never }>;
}

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  records = bus.bucket(buckets.benchRuns);
  board = createStub({ seed: 5, clock: realClock });
  served = await serveIiod({ context: board, port: 0, clock: realClock, log: keptLog() });
  bench = await started(factory());
  for (const epoch of [1, 2]) expect(await applied(bench)).toBe(epoch);
  await stopped();
  whole = Buffer.from((await records.get(KEY))!.value);
}, 60_000);
afterEach(() => stopped());
afterAll(async () => {
  await served.stop();
  await nats.stop();
});

let url = '';
function factory(guard?: BoardGuard): RoleFactory {
  const iiod = { host: '127.0.0.1', port: served.port };
  const documents = {
    ...NO_BENCH_DOCUMENTS,
    config: { board: 'iiod', iiod } as const,
    profiles: new Map([[FAST.name, FAST]]),
  };
  const listening = (at: string): void => {
    url = at;
  };
  const guarded = guard === undefined ? {} : { guard };
  return benchRole({ documents, port: 0, host: '127.0.0.1', allowHosts: [], listening, ...guarded });
}

async function started(make: RoleFactory, over: Bus = bus): Promise<Started> {
  const failures: string[] = [];
  const log = keptLog();
  const context: Partial<RoleContext> = {
    bus: over,
    clock: realClock,
    random: seededRandom(1),
    log,
    deadLetters: createDeadLetters(undefined, log),
    registry: new Registry(),
    failed: (reason) => failures.push(reason),
    failpoint: undefined,
  };
  const role = await make(context as RoleContext);
  const call: Started['call'] = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const request = { method, ...(body !== undefined && { body: JSON.stringify(body), headers }) };
    const answer = await fetch(`${url}/api/v1${path}`, request);
    return { status: answer.status, body: (await answer.json()) as never };
  };
  return { role, failures, call };
}

async function stopped(): Promise<void> {
  await bench?.role.stop();
  bench = undefined;
}

/** The epoch of an apply, once the board is found. */
async function applied({ call }: Started): Promise<number> {
  const { body } = await until(async () => {
    const answer = await call('POST', `/profiles/${FAST.name}/apply`);
    return answer.status === 200 && answer;
  });
  return (body as { cfg_epoch: number }).cfg_epoch;
}

const levelDb = (): Promise<number> => new Phy(board).gainDb('tx');

/** The record as that start of a bench writes it. */
function ofStart(epoch: number): Uint8Array {
  return packr.pack({ ...(packr.unpack(whole) as object), epoch });
}

/** As another tool leaves it. */
async function onAir(): Promise<void> {
  await new Phy(board).setGain('tx', ON_AIR_DB);
  await new Modem(board).change(register.control, controlBit.egress, controlBit.egress);
}

type Damage = readonly [what: string, bytes: () => Uint8Array];

/** The record with another value, or none, at a path. */
const at = (path: string, ...values: readonly unknown[]): Damage[] =>
  values.map((value) => [
    `${path}: ${JSON.stringify(value)}`,
    () => {
      const root = packr.unpack(whole) as object;
      const steps = path.split('.');
      const last = steps.pop()!;
      const place = steps.reduce((each, step) => (each as Record<string, object>)[step]!, root);
      if (value === undefined) Reflect.deleteProperty(place, last);
      else Reflect.set(place, last, value);
      return packr.pack(root);
    },
  ]);

describe('a record of the radio that cannot be read', () => {
  beforeEach(async () => {
    await onAir();
  });

  it.each<Damage>([
    ['bytes', () => Buffer.from([0xc1, 0xff, 0x00, 0x7b])],
    ['nothing', () => Buffer.alloc(0)],
    ['null', () => packr.pack(null)],
    ['an empty object', () => packr.pack({})],
    ...at('version', undefined, 2),
    ...at('effects', undefined),
    ...at('snapshot', null),
    ...at('snapshot.status', undefined, 'later'),
    ...at('snapshot.value', undefined, 'later', { attached: 'later' }),
    ...at('snapshot.context', null, {}),
    ...at('snapshot.context.record', null),
    ...at('snapshot.context.record.epoch', Number.NaN, 'two', -1),
    ...at('snapshot.context.record.revisions', undefined, null, { fast: [{}] }),
  ])(
    'radio/kept-record.E1 radio/kept-record.E2 (%s) keeps no bench from starting: it silences the board, says so, and gives no epoch twice',
    async (_, damage) => {
      const bytes = Buffer.from(damage());
      const position = await records.overwrite(KEY, bytes);
      bench = await started(factory());
      await until(async () => (await levelDb()) < -80, { timeoutMs: 5_000, what: 'a silent board' });
      const { body } = await bench.call('GET', '/events?kind=radio.record_lost&limit=1');
      const copy = `unreadable.${KEY}.${position}`;
      expect(body).toMatchObject([{ severity: 'error', message: expect.stringContaining(copy) }]);
      expect(Buffer.from((await records.get(copy))!.value)).toEqual(bytes);
      expect(await applied(bench)).toBe(position + 1);
      expect((await bench.call('GET', `/profiles/${FAST.name}/revisions`)).status).toBe(200);
      expect(bench.failures).toEqual([]);
    },
  );

  it('is not one with fields of a later version', async () => {
    const root = packr.unpack(whole) as { snapshot: { context: { record: object } } };
    Object.assign(root, { later: 1 });
    Object.assign(root.snapshot.context, { later: 1 });
    Object.assign(root.snapshot.context.record, { later: { more: 1 } });
    await records.overwrite(KEY, packr.pack(root));
    bench = await started(factory());
    expect(await applied(bench)).toBe(3);
  });
});

describe('roles/bench.R5 the guard of the board', () => {
  it('goes on where the bus fails before the record of the radio is read, and ends once it is there', async () => {
    let ends = 0;
    const guard: BoardGuard = {
      stop: async () => {
        ends++;
        return [];
      },
    };
    const away = async (): Promise<never> => {
      throw new Outage('bus.unavailable', 'the bus is away');
    };
    const failing: Bus = { ...bus, bucket: (definition) => ({ ...bus.bucket(definition), get: away }) };
    const make = factory(guard);
    await expect(started(make, failing)).rejects.toThrow(Outage);
    expect(ends).toBe(0);
    bench = await started(make);
    expect(ends).toBe(1);
  });
});

describe('roles/bench.R4 a record of the radio that is removed while the bench runs', () => {
  it('ends this start of the bench with a silent board, and the next one begins with another record', async () => {
    const make = factory();
    bench = await started(make);
    await applied(bench);
    const { role, failures, call } = bench;
    await onAir();
    await records.remove(KEY, (await records.get(KEY))!.revision);
    expect((await call('POST', '/radio/gain', { rx_gain_db: 20 })).status).toBe(503);
    await until(() => failures.length > 0);
    expect(failures).toEqual(['the radio is gone: its record was removed']);
    await role.halt?.();
    expect(await levelDb()).toBeLessThan(-80);
    await stopped();
    bench = await started(make);
    expect(await applied(bench)).toBe(1);
  });

  it('roles/bench.R1 one that another bench has written keeps it off until its process is restarted', async () => {
    const make = factory();
    bench = await started(make);
    await applied(bench);
    const { failures, call } = bench;
    await records.overwrite(KEY, ofStart(1_000));
    await call('POST', '/radio/gain', { rx_gain_db: 20 });
    await until(() => failures.length > 0);
    expect(failures).toEqual(['the radio is gone: fenced']);
    await stopped();
    bench = await started(make);
    await expect(bench.call('GET', '/radio/state')).rejects.toThrow();
  });
});

describe('roles/bench.R6 an earlier bench that writes while a later one starts', () => {
  it('does not keep the later one off: that begins again, and the earlier one is fenced', async () => {
    const [earlier, later] = [factory(), factory()];
    const first = await started(earlier);
    await applied(first);
    const firstUrl = url;
    // Behind the reading of the record, the earlier one writes once more.
    let isRead = false;
    const slow: Bus = {
      ...bus,
      bucket: (definition) => ({
        ...bus.bucket(definition),
        get: async (key) => {
          const entry = await bus.bucket(definition).get(key);
          if (key === KEY && !isRead) {
            isRead = true;
            const before = entry?.revision;
            await applied(first);
            expect((await records.get(KEY))!.revision).not.toBe(before);
          }
          return entry;
        },
      }),
    };
    const second = await started(later, slow);
    await until(() => second.failures.length > 0);
    expect(second.failures).toEqual([
      'the radio is gone: an earlier bench, which still runs, has written its record meanwhile',
    ]);
    await second.role.stop();
    bench = await started(later);
    expect(url).not.toBe(firstUrl);
    const epoch = await applied(bench);
    expect(epoch).toBeGreaterThan(0);
    const asked = await fetch(`${firstUrl}/api/v1/radio/gain`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ rx_gain_db: 20 }),
    });
    expect(asked.status).toBe(503);
    await until(() => first.failures.length > 0);
    expect(first.failures).toEqual(['the radio is gone: fenced']);
    await first.role.stop();
    expect(bench.failures).toEqual([]);
    expect(await applied(bench)).toBe(epoch + 1);
  });
});
