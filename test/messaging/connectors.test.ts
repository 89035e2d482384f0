/** Connectors as front ends see them, on the twin of the bus: who lives, who takes over, what it costs. */

import { describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { subject } from '../../contract/bus/subjects.ts';
import {
  type ConnectorRegistrationDocument,
  readConnectorHeartbeatReply,
  readConnectorRegistration,
  readConnectorRegistrationReply,
} from '../../contract/connector-wire.ts';
import {
  CONNECTOR_LAGS_ASKED,
  CONNECTOR_LAGS_KEPT_MS,
  CONNECTOR_PERIOD_MS,
  CONNECTORS_MOST,
} from '../../contract/limits/connector.ts';
import { ConnectorLags } from '../../messaging/connector-lags.ts';
import { ConnectorRegistration, type ConnectorState } from '../../messaging/connector-registration.ts';
import { Connectors } from '../../messaging/connectors.ts';
import type { StreamLevels } from '../../ports/stream-levels.ts';
import { ProcessClock } from '../simulation/process-clock.ts';
import { keptLog } from '../support/silent-log.ts';
import { UnitWorld } from './unit-world.ts';

const PERIOD_MS = 1_000;
const OK: ConnectorState = { health: { state: 'ok' } };

function documentOf(name: string, more: object = {}): ConnectorRegistrationDocument {
  return {
    kind: 'connector',
    name,
    instance: `${name}-1`,
    software: { name: 'test', version: '1.0.0' },
    heartbeat_period_ms: PERIOD_MS,
    connector: { data: [{ kind: 'alarms', consumer: `${name}-alarms`, by: 'consumer' }] },
    ...more,
  };
}

class World {
  readonly units = new UnitWorld();
  readonly clock = new ProcessClock(this.units.clock, 0);
  readonly log = keptLog();
  readonly bus = this.units.open('front-end', this.clock, this.log);
  readonly connectors = new Connectors({ bus: this.bus, clock: this.clock, log: this.log });

  static async start(): Promise<World> {
    const world = new World();
    world.connectors.start();
    await world.units.run(100);
    return world;
  }

  async register(name: string, more: object = {}) {
    const bytes = Buffer.from(JSON.stringify(documentOf(name, more)));
    const asked = this.units.bus.request(subject.connectorRegister(name), bytes, { timeoutMs: 5_000 });
    return readConnectorRegistrationReply(await this.units.finish(asked));
  }

  /** Whether it is asked to register. */
  async beat(name: string, more: object = {}): Promise<boolean | undefined> {
    const bytes = Buffer.from(JSON.stringify({ instance: `${name}-1`, health: { state: 'ok' }, ...more }));
    const asked = this.units.bus.request(subject.connectorHeartbeat(name), bytes, { timeoutMs: 5_000 });
    return readConnectorHeartbeatReply(await this.units.finish(asked))?.register;
  }

  async beats(name: string, ms: number, more: object = {}): Promise<void> {
    for (let left = ms; left > 0; left -= PERIOD_MS) {
      await this.beat(name, more);
      await this.units.run(PERIOD_MS);
    }
  }
}

describe('a registration', () => {
  const read = (document: unknown) => readConnectorRegistration(Buffer.from(JSON.stringify(document)), 'wh');
  const good = documentOf('wh');
  const data = good.connector.data[0]!;
  const WRONG: readonly [string, object, string][] = [
    ['another kind', { kind: 'unit' }, 'kind'],
    ['another name', { name: 'other' }, 'name'],
    ['an instance that is no token', { instance: 'a.b' }, 'instance'],
    ['a period too short', { heartbeat_period_ms: 100 }, 'heartbeat_period_ms'],
    ['no software', { software: { name: '', version: '1' } }, 'software.name'],
    ['no section', { connector: undefined }, 'connector'],
    ['no data', { connector: { data: [] } }, 'connector.data'],
    ['too much data', { connector: { data: Array.from({ length: 33 }, () => data) } }, 'connector.data'],
    ['data of no kind', { connector: { data: [{ ...data, kind: 'x' }] } }, 'connector.data.0.kind'],
    [
      'a consumer that is no token',
      { connector: { data: [{ ...data, consumer: 'a b' }] } },
      'connector.data.0.consumer',
    ],
    ['a consumer named twice', { connector: { data: [data, data] } }, 'connector.data'],
    ['another way to read', { connector: { data: [{ ...data, by: 'x' }] } }, 'connector.data.0.by'],
    ['no target', { connector: { data: [data], targets: [] } }, 'connector.targets'],
    ['a target that is no token', { connector: { data: [data], targets: ['a.*'] } }, 'connector.targets.0'],
    ['a target twice', { connector: { data: [data], targets: ['a', 'a'] } }, 'connector.targets'],
  ];

  it('MC-CONN-004 is taken with kind alarms', () => {
    expect(read(good)).toEqual({ ok: true, value: good });
  });

  it.each(WRONG)('connector-wire.C1 with %s is refused where it is wrong', (_what, change, path) => {
    expect(read({ ...good, ...change })).toMatchObject({
      ok: false,
      faults: [{ code: 'connector::invalid-registration', path }],
    });
  });

  it('connector-wire.C1 names every fault at once, and is no large or broken text', () => {
    const faulty = read({ ...good, kind: 'x', instance: '', software: {} });
    expect(faulty.ok ? [] : faulty.faults.map(({ path }) => path)).toEqual([
      'kind',
      'instance',
      'software.name',
      'software.version',
    ]);
    for (const bytes of [Buffer.from('['), Buffer.alloc(300_000, 0x20)])
      expect(readConnectorRegistration(bytes, 'wh').ok).toBe(false);
  });
});

describe('a connector', () => {
  it('MC-CONN-005 lives for three periods behind its last heartbeat', async () => {
    const world = await World.start();
    expect(await world.register('wh')).toEqual({ ok: true, value: { registered: true } });
    await world.beats('wh', 5_000);
    expect(world.connectors.get('wh')).toMatchObject({ alive: true, health: { state: 'ok' }, left: false });
    await world.units.run(3 * PERIOD_MS);
    expect(world.connectors.get('wh')).toMatchObject({ alive: false, left: false });
    expect(world.log.said.map(({ message }) => message)).toContain('connector fell silent');
  });

  it('connectors.D1 that leaves is gone at once, and is not missed', async () => {
    const world = await World.start();
    await world.register('wh');
    await world.beat('wh', { leaving: true, positions: { at: { seq: 7 } } });
    expect(world.connectors.get('wh')).toMatchObject({ alive: false, left: true });
    await world.units.run(1_000);
    expect(world.log.said).toEqual([]);
    // A front end that starts now knows it from the record.
    const clock = new ProcessClock(world.units.clock, 0);
    const other = new Connectors({ bus: world.units.open('late', clock, keptLog()), clock, log: keptLog() });
    other.start();
    await world.units.run(100);
    expect(other.get('wh')).toMatchObject({ alive: false, left: true, positions: { at: { seq: 7 } } });
  });

  it('connectors.D2 is the instance that registered last; another one takes over when that is dead', async () => {
    const world = await World.start();
    await world.register('wh');
    const standby = { instance: 'wh-2' };
    expect(await world.beat('wh', { ...standby, positions: { at: { seq: 9 } } })).toBe(false);
    expect(world.connectors.get('wh')?.positions).toEqual({});
    await world.units.run(3 * PERIOD_MS + 10);
    expect(await world.beat('wh', standby)).toBe(true);
    await world.register('wh', standby);
    expect(world.connectors.get('wh')).toMatchObject({ alive: true, document: { instance: 'wh-2' } });
  });

  it('connectors.D3 positions survive the next registration, and those of consumers that are not named any more do not', async () => {
    const world = await World.start();
    const at = (...names: string[]) => ({
      connector: { data: names.map((consumer) => ({ kind: 'values', consumer, by: 'position' })) },
    });
    await world.register('wh', at('a', 'b'));
    await world.beat('wh', { positions: { a: { seq: 5 }, b: { seq: 6 } } });
    await world.register('wh', { ...at('a'), instance: 'wh-2' });
    expect(world.connectors.get('wh')?.positions).toEqual({ a: { seq: 5 } });
  });

  it('connector-writes.W3 cannot have the consumer of another one, nor a place where there are too many', async () => {
    const world = await World.start();
    await world.register('wh');
    const same = { connector: documentOf('wh').connector };
    expect(await world.register('thief', same)).toMatchObject({
      ok: false,
      faults: [{ code: 'connector::consumer-taken' }],
    });
    expect(await world.register('wh', { instance: 'wh-2' })).toMatchObject({ ok: true });
    for (let n = 1; n < CONNECTORS_MOST; n += 1) await world.register(`c${n}`);
    expect(await world.register('one-more')).toMatchObject({
      ok: false,
      faults: [{ code: 'connector::too-many' }],
    });
  });

  it('heartbeats.B2 is asked to register where its record is lost', async () => {
    const world = await World.start();
    expect(await world.beat('wh')).toBe(true);
    expect(await world.beat('wh', { leaving: true })).toBe(false);
  });

  it('registered-book.K4 is known to be removed until it registers again, and not where its record is lost', async () => {
    const world = await World.start();
    const { units, connectors } = world;
    const bucket = world.bus.bucket(buckets.connectors);
    const write = (name: string) => units.finish(bucket.overwrite(name, Buffer.from('{}')));
    const remove = async (name: string): Promise<void> => {
      const { revision } = (await units.finish(bucket.get(name)))!;
      await units.finish(bucket.remove(name, revision));
      await units.run(100);
    };
    await write('wh');
    await write('lost');
    await units.run(100);
    expect(connectors.wasRemoved('wh')).toBe(false);
    await remove('wh');
    connectors.book.gone('lost');
    expect(['wh', 'lost', 'never'].map((name) => connectors.wasRemoved(name))).toEqual([true, false, false]);
    await write('wh');
    await units.run(100);
    expect(connectors.wasRemoved('wh')).toBe(false);
    for (let n = 0; n < 1_001; n += 1) {
      await write(`w${n}`);
      await remove(`w${n}`);
    }
    expect(['w0', 'w1', 'w1000'].map((name) => connectors.wasRemoved(name))).toEqual([false, true, true]);
  });

  it('connector-registration.N1 N3 registers by itself, again when it is asked to, and says that it leaves', async () => {
    const world = await World.start();
    const { units } = world;
    const registration = new ConnectorRegistration({
      bus: units.bus,
      clock: new ProcessClock(units.clock, 0),
      log: keptLog(),
      name: 'wh',
      instance: 'wh-1',
      software: { name: 'test', version: '1.0.0' },
      data: [{ kind: 'values', consumer: 'at', by: 'position' }],
      state: () => ({ ...OK, positions: { at: { seq: 3 } } }),
    });
    await units.run(2 * CONNECTOR_PERIOD_MS + 100);
    expect(world.connectors.get('wh')).toMatchObject({ alive: true, positions: { at: { seq: 3 } } });
    const bucket = world.bus.bucket(buckets.connectors);
    const entry = await units.finish(bucket.get('wh'));
    await units.finish(bucket.remove('wh', entry!.revision));
    world.connectors.book.gone('wh');
    await units.run(2 * CONNECTOR_PERIOD_MS + 100);
    expect(world.connectors.get('wh')).toMatchObject({ alive: true });
    await units.finish(registration.stop());
    expect(world.connectors.get('wh')).toMatchObject({ alive: false, left: true });
  });
});

/** The twin of the bus does not say how full its streams are. */
function withLevels(bus: World['bus'], levels: StreamLevels): World['bus'] {
  const said = {
    connected: true,
    levels,
    bucket: (...of: Parameters<typeof bus.bucket>) => bus.bucket(...of),
  };
  return said as unknown as World['bus'];
}

describe('the lags of 50 connectors with 8 readers each', () => {
  it('connector-lags.G1 G3 cost one question for each reader and stream in three seconds, however many ask', async () => {
    const world = await World.start();
    const kinds = [
      'frames',
      'samples',
      'values',
      'telecommands',
      'runs',
      'alarms',
      'files',
      'values',
    ] as const;
    for (let n = 0; n < 50; n += 1) {
      const data = kinds.map((kind, at) => ({ kind, consumer: `c${n}-${at}`, by: 'consumer' }));
      await world.register(`c${n}`, { connector: { data } });
    }
    const asked = { stream: 0, consumer: 0, next: 0, atOnce: 0, most: 0 };
    const levels: StreamLevels = {
      async stream() {
        asked.stream += 1;
        const times = { firstAt: 0, lastAt: 1_000 };
        return {
          identity: 'a',
          firstSeq: 1,
          lastSeq: 9,
          messages: 9,
          bytes: 90,
          maxBytes: undefined,
          maxAgeMs: 1e9,
          ...times,
        };
      },
      async consumer() {
        asked.consumer += 1;
        asked.atOnce += 1;
        asked.most = Math.max(asked.most, asked.atOnce);
        await Promise.resolve();
        asked.atOnce -= 1;
        return { ackFloor: 4, acked: 4, filter: undefined, pending: 5, unacked: 0, awaited: true };
      },
      async next() {
        asked.next += 1;
        return { seq: 5, at: 500 };
      },
      account: async () => ({ bytes: 0, maxBytes: undefined }),
      removeConsumer: async () => false,
    };
    const { connectors, clock, log } = world;
    const bus = withLevels(world.bus, levels);
    const lags = new ConnectorLags({ bus, clock, log, connectors });
    const asking = Promise.all(Array.from({ length: 100 }, () => lags.lags()));
    const answers = await world.units.finish(asking);
    expect(answers[99]).toHaveLength(400);
    expect(asked).toMatchObject({ stream: 7, consumer: 400, next: 400 });
    expect(asked.most).toBeLessThanOrEqual(CONNECTOR_LAGS_ASKED);
    await world.units.run(CONNECTOR_LAGS_KEPT_MS + 1);
    await world.units.finish(lags.lags());
    expect(asked.consumer).toBe(800);
  });
});

describe('a reader that is about to lose messages', () => {
  it('connector-findings.F2 is recorded once by all front ends, and that it is over', async () => {
    const world = await World.start();
    await world.register('wh');
    const stands = { lastSeq: 1_000, pending: 900 };
    const levels: StreamLevels = {
      stream: async () => ({
        identity: 'a',
        firstSeq: 1,
        lastSeq: stands.lastSeq,
        messages: stands.lastSeq,
        bytes: 100 * stands.lastSeq,
        maxBytes: 110_000,
        maxAgeMs: 1e9,
        firstAt: 0,
        lastAt: world.clock.now(),
      }),
      consumer: async () => ({
        ackFloor: stands.lastSeq - stands.pending,
        acked: stands.lastSeq - stands.pending,
        filter: undefined,
        pending: stands.pending,
        unacked: 0,
        awaited: true,
      }),
      next: async () => ({ seq: stands.lastSeq - stands.pending + 1, at: 500 }),
      account: async () => ({ bytes: 0, maxBytes: undefined }),
      removeConsumer: async () => false,
    };
    const { connectors, clock, log } = world;
    let written = 0;
    const watch = world.units.bus.bucket(buckets.connectors).watch('wh', () => {
      written += 1;
    });
    await world.units.finish(watch);
    const bus = withLevels(world.bus, levels);
    const fronts = [0, 1, 2].map(() => new ConnectorLags({ bus, clock, log, connectors }));
    const look = async (more: number) => {
      stands.lastSeq += more;
      if (stands.pending > 0) stands.pending += more;
      await world.units.run(CONNECTOR_LAGS_KEPT_MS + 1);
      await world.units.finish(Promise.all(fronts.map((front) => front.lags())));
      await world.units.run(100);
      return connectors.book.get('wh')?.record.risk?.[`wh-alarms`];
    };
    for (let n = 0; n < 5; n += 1) expect(await look(20)).toMatchObject({ at_risk: true });
    stands.pending = 0;
    for (let n = 0; n < 5; n += 1) expect(await look(20)).toMatchObject({ at_risk: false });
    expect(written).toBeLessThanOrEqual(4);
  });
});
