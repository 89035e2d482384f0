/** The fleet as front ends see it: who lives by whose clock, what is recorded, and what a lost bucket costs. */

import { createUser } from 'nkeys.js';
import { describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import {
  UNIT_ASKED_PER_S,
  UNIT_CREDENTIAL_MS,
  UNIT_RECORD_MS,
  UNIT_RENEWAL_MS,
  UNIT_REPEATED_MS,
  UNITS_MOST,
} from '../../contract/limits/unit.ts';
import { UNIT_LEFT_MS } from '../../messaging/unit-removal.ts';
import { enrolUnit, registerUnit, removeUnit } from '../../messaging/unit-writes.ts';
import { aliveOf, KEY, PERIOD_MS, registrationOf, UnitWorld } from './unit-world.ts';

const WAKINGS = [
  { arrivalsFirst: true, pullsExpired: false },
  { arrivalsFirst: false, pullsExpired: true },
];
const HOUR_MS = 3_600_000;

describe('a unit in the fleet', () => {
  it('MC-UNIT-001 MC-UNIT-018 registers, and gets a credential for its own serial number and key', async () => {
    const [world, one] = await UnitWorld.start();
    expect(await world.register('bench-07')).toEqual({
      ok: true,
      value: { jwt: 'jwt 1', expires: expect.any(Number) },
    });
    expect(one.issued).toEqual([{ serial: 'bench-07', publicKey: KEY, expiresAtMs: expect.any(Number) }]);
    expect(one.fleet.units()).toMatchObject([
      { serial: 'bench-07', alive: true, health: { state: 'unknown' }, document: registrationOf('bench-07') },
    ]);
  });

  it('MC-UNIT-021 lives for three periods without a heartbeat, and not for longer', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('bench-07');
    await world.beats('bench-07', 10_000);
    expect(aliveOf(one, 'bench-07')).toBe(true);
    await world.run(2 * PERIOD_MS - 10);
    expect(aliveOf(one, 'bench-07')).toBe(true);
    await world.run(20);
    expect(aliveOf(one, 'bench-07')).toBe(false);
    await world.run(1_000);
    expect(world.stored('bench-07')?.registered?.alive).toBe(false);
    await world.beat('bench-07');
    expect(aliveOf(one, 'bench-07')).toBe(true);
    await world.run(1_000);
    expect(world.stored('bench-07')?.registered?.alive).toBe(true);
  });

  it('MC-UNIT-021 by its own period, whatever others chose', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('slow', { heartbeat_period_ms: 60_000 });
    await world.register('fast', { heartbeat_period_ms: 200 });
    await world.run(700);
    expect([aliveOf(one, 'slow'), aliveOf(one, 'fast')]).toEqual([true, false]);
    await world.run(179_000);
    expect(aliveOf(one, 'slow')).toBe(true);
    await world.run(1_000);
    expect(aliveOf(one, 'slow')).toBe(false);
  });

  it('MC-UNIT-005 says when something last came from it, and its health with the reason', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('bench-07');
    await world.beat('bench-07', { state: 'degraded', reason: 'fan 2 stands still' });
    const at = one.clock.now();
    await world.run(30_000);
    const unit = one.fleet.unit('bench-07')!;
    expect(unit).toMatchObject({ alive: false, health: { state: 'degraded', reason: 'fan 2 stands still' } });
    expect(Math.abs(unit.lastHeard - at)).toBeLessThan(10);
  });

  it('shows what it is busy with while it lives', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('bench-07');
    const activity = { verb: 'update', phase: 'installing', percent: 40 };
    await world.beat('bench-07', { state: 'ok' }, { activity });
    expect(one.fleet.unit('bench-07')?.activity).toEqual(activity);
    await world.run(4_000);
    expect(one.fleet.unit('bench-07')?.activity).toBeUndefined();
  });

  it.each(['{', '[]', '{"health":{"state":"fine"}}', '{"health":{"state":"degraded"}}', '{}'])(
    'is not kept alive by what is no heartbeat: %s',
    async (text) => {
      const [world, one] = await UnitWorld.start();
      await world.register('bench-07');
      for (let second = 0; second < 4; second += 1) {
        world.bus.publish('mcs.ctl.heartbeat.unit.bench-07', Buffer.from(text));
        await world.run(PERIOD_MS);
      }
      expect(aliveOf(one, 'bench-07')).toBe(false);
    },
  );
});

describe('clocks and sleeps', () => {
  it.each([HOUR_MS, -HOUR_MS, 400 * 24 * HOUR_MS])(
    'fleet.F1 MC-UNIT-021 a step of %d ms kills nobody and raises nobody',
    async (step) => {
      const [world, one] = await UnitWorld.start();
      await world.register('lives');
      await world.register('dead');
      await world.run(4_000);
      await world.beats('lives', 2_000);
      one.clock.step(step);
      await world.beats('lives', 3_000);
      expect([aliveOf(one, 'lives'), aliveOf(one, 'dead')]).toEqual([true, false]);
      const { lastHeard } = one.fleet.unit('lives')!;
      expect(Math.abs(one.clock.now() - lastHeard)).toBeLessThan(2 * PERIOD_MS);
    },
  );

  it.each(WAKINGS)(
    'attended-time.A2 MC-UNIT-021 a front end that slept 10 s takes nobody for dead: %o',
    async (waking) => {
      const [world, one] = await UnitWorld.start();
      await world.register('bench-07');
      await world.beats('bench-07', 5_000);
      one.clock.pause();
      await world.beats('bench-07', 10_000);
      one.clock.resume(waking);
      const seen: unknown[] = [];
      for (let step = 0; step < 40; step += 1) {
        seen.push(aliveOf(one, 'bench-07'));
        await world.beats('bench-07', 100);
      }
      expect(new Set(seen)).toEqual(new Set([true]));
      expect(one.log.said.filter(({ message }) => message === 'unit fell silent')).toEqual([]);
    },
  );

  it('attended-time.A2 and takes one for dead that fell silent meanwhile, three periods on', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('bench-07');
    await world.beats('bench-07', 5_000);
    one.clock.pause();
    await world.run(10_000);
    one.clock.resume(WAKINGS[0]!);
    await world.run(4_000);
    expect(aliveOf(one, 'bench-07')).toBe(false);
  });

  it('MC-UNIT-021 a unit that slept 10 s is dead, and back with its next heartbeat without registering', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('bench-07');
    await world.beats('bench-07', 5_000);
    await world.run(10_000);
    expect(aliveOf(one, 'bench-07')).toBe(false);
    expect(await world.beat('bench-07')).toBe(false);
    expect(aliveOf(one, 'bench-07')).toBe(true);
  });

  it('attended-time.A2 while the bus is away nobody dies, and who does not come back does', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('comes-back');
    await world.register('stays-away');
    await world.beats('comes-back', 2_000);
    world.server.turn(false);
    await world.run(60_000);
    world.server.turn(true);
    await world.run(2_500);
    expect(aliveOf(one, 'comes-back')).toBe(true);
    await world.beats('comes-back', 6_000);
    expect([aliveOf(one, 'comes-back'), aliveOf(one, 'stays-away')]).toEqual([true, false]);
  });
});

describe('a front end that begins', () => {
  it('fleet.F1 takes what is recorded for three periods, then what it receives', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('lives');
    await world.register('dies');
    await world.register('dead');
    await world.run(4_000);
    for (const serial of ['lives', 'dies']) await world.beat(serial);
    await world.run(1_000);
    one.kill();
    const two = await world.process('two');
    expect(['lives', 'dies', 'dead'].map((serial) => aliveOf(two, serial))).toEqual([true, true, false]);
    await world.beats('lives', 4_000);
    expect(['lives', 'dies', 'dead'].map((serial) => aliveOf(two, serial))).toEqual([true, false, false]);
  });

  it('fleet.F3 knows from the record when something last came from a unit, to a minute', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('bench-07');
    await world.beats('bench-07', 5 * UNIT_RECORD_MS);
    const before = one.fleet.unit('bench-07')!.lastHeard;
    one.kill();
    const two = await world.process('two');
    const after = two.fleet.unit('bench-07')!.lastHeard;
    expect(before - after).toBeLessThan(UNIT_RECORD_MS + 2 * PERIOD_MS);
  });
});

describe('what is recorded', () => {
  it('fleet.F3 one write in a minute for a unit that lives, however many front ends watch', async () => {
    const [world, one] = await UnitWorld.start();
    await world.process('two');
    await world.process('three');
    await world.register('bench-07');
    await world.beats('bench-07', 3_000);
    const before = one.writes();
    await world.beats('bench-07', 10 * UNIT_RECORD_MS);
    expect(one.writes() - before).toBeLessThanOrEqual(11);
  });

  it('fleet.F3 a death is written once, and nothing of a dead unit is written any more', async () => {
    const [world, one] = await UnitWorld.start();
    await world.process('two');
    await world.register('bench-07');
    await world.beats('bench-07', 2_000);
    const before = one.writes();
    await world.run(10_000);
    expect(one.writes() - before).toBeLessThanOrEqual(2);
    const dead = one.writes();
    await world.run(10 * UNIT_RECORD_MS);
    expect(one.writes()).toBe(dead);
  });

  it('fleet.F2 a bucket that was emptied fills up again by itself, no more units at once than agreed', async () => {
    const [world, one] = await UnitWorld.start();
    const serials = Array.from({ length: 3 * UNIT_ASKED_PER_S }, (_, index) => `bench-${index}`);
    for (const serial of serials) await world.register(serial);
    for (const serial of serials) await world.finish(removeUnit({ bus: one.bus }, serial));
    await world.run(1_000);
    expect(one.fleet.units()).toEqual([]);
    let asked = 0;
    for (const serial of serials) {
      const { second } = { second: world.clock.now() };
      if (await world.beat(serial)) asked += 1;
      expect(world.clock.now() - second).toBeLessThan(20);
    }
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(2 * UNIT_ASKED_PER_S);
    for (let second = 0; second < 6; second += 1) {
      for (const serial of serials) if (await world.beat(serial)) await world.register(serial);
      await world.run(1_000);
    }
    expect(one.fleet.units()).toHaveLength(serials.length);
  });

  it('fleet.F2 a registration that is old is asked for again, which renews its credential', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('bench-07');
    await world.run(UNIT_REPEATED_MS + 1_000);
    one.clock.step(UNIT_RENEWAL_MS - 30_000);
    expect(await world.beat('bench-07')).toBe(false);
    one.clock.step(40_000);
    expect(await world.beat('bench-07')).toBe(true);
    await world.register('bench-07');
    expect(await world.beat('bench-07')).toBe(false);
  });

  it('registered-book.K1 a record that cannot be read hides no other, and a unit of that name registers over it', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('sound');
    await world.finish(one.bus.bucket(buckets.units).overwrite('broken', Buffer.from('{"public_key":7}')));
    await world.run(100);
    expect(one.fleet.units().map(({ serial }) => serial)).toEqual(['sound']);
    expect(one.log.said).toContainEqual(expect.objectContaining({ message: 'malformed unit: left out' }));
    expect(await world.register('broken')).toMatchObject({ ok: true });
    expect(one.fleet.units().map(({ serial }) => serial)).toEqual(['broken', 'sound']);
  });

  it.each([
    ['last_heard', 'yesterday'],
    ['at', ''],
    ['document.unit.gateways', ['no name']],
    ['document.unit.gateways', [null]],
  ])(
    'registered-book.K1 a record that could not be shown for its %s %j hides no other',
    async (path, wrong) => {
      const [world, one] = await UnitWorld.start();
      await world.register('sound');
      const record = JSON.parse(JSON.stringify(await world.stored('sound')));
      const names = path.split('.');
      names.slice(0, -1).reduce((of, name) => of[name], record.registered)[names.at(-1)!] = wrong;
      const bytes = Buffer.from(JSON.stringify(record));
      await world.finish(one.bus.bucket(buckets.units).overwrite('broken', bytes));
      await world.run(100);
      for (const each of [one, await world.process('later')])
        expect(each.fleet.units().map(({ serial }) => serial)).toEqual(['sound']);
      expect(one.log.said).toContainEqual(expect.objectContaining({ message: 'malformed unit: left out' }));
    },
  );
});

describe('a registration', () => {
  it('unit-registrar.R3 that is repeated gets the same answer: one signature, one record', async () => {
    const [world, one] = await UnitWorld.start();
    const first = await world.register('bench-07');
    const writes = one.writes();
    for (let time = 0; time < 5; time += 1) expect(await world.register('bench-07')).toEqual(first);
    expect([one.issued.length, one.writes()]).toEqual([1, writes]);
    await world.run(11_000);
    expect(await world.register('bench-07')).not.toEqual(first);
    expect(one.fleet.units()).toHaveLength(1);
  });

  it('that says something else is another one: a new version after an update', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('bench-07');
    const software = { name: 'bench-unit', version: '1.5.0' };
    await world.register('bench-07', { software, boot: 'b2' });
    expect(one.fleet.unit('bench-07')?.document).toMatchObject({ software, boot: 'b2' });
  });

  it('unit-writes.W2 with another key than the one enrolled or registered is refused until that key is enrolled', async () => {
    const [world, one] = await UnitWorld.start();
    await world.register('bench-07');
    const stranger = createUser().getPublicKey();
    const refused = { ok: false, faults: [{ code: 'unit::other-key' }] };
    expect(await world.register('bench-07', { public_key: stranger })).toMatchObject(refused);
    expect(one.fleet.unit('bench-07')?.document.public_key).toBe(KEY);
    const writing = { bus: one.bus, clock: one.clock, count: () => 1 };
    await world.finish(enrolUnit(writing, { serial: 'bench-07', publicKey: stranger, by: 'ada' }));
    expect(await world.register('bench-07')).toMatchObject(refused);
    expect(await world.register('bench-07', { public_key: stranger })).toMatchObject({ ok: true });
  });

  it('unit-writes.W4 a key that another one was enrolled after does not come back by a removal', async () => {
    const [world, one] = await UnitWorld.start();
    const writing = { bus: one.bus, clock: one.clock, count: () => one.fleet.book.size };
    const [serial, trusted] = ['bench-07', createUser().getPublicKey()];
    await world.register(serial);
    await world.finish(enrolUnit(writing, { serial, publicKey: trusted, by: 'ada' }));
    await world.register(serial, { public_key: trusted });
    const refused = { ok: false, faults: [{ code: 'unit::other-key' }] };
    // Also where it comes back and is removed once more.
    for (let round = 0; round < 2; round += 1) {
      expect(await world.finish(removeUnit(writing, serial))).toBe(true);
      expect(await world.finish(removeUnit(writing, serial))).toBe(false);
      await world.run(UNIT_REPEATED_MS + 1_000);
      expect(one.fleet.units()).toEqual([]);
      await world.beat(serial);
      expect(await world.register(serial)).toMatchObject(refused);
      expect(await world.register(serial, { public_key: trusted })).toMatchObject({ ok: true });
      expect(one.fleet.unit(serial)?.document.public_key).toBe(trusted);
    }
    const third = createUser().getPublicKey();
    await world.finish(removeUnit(writing, serial));
    await world.finish(enrolUnit(writing, { serial, publicKey: third, by: 'ada' }));
    expect(await world.register(serial, { public_key: trusted })).toMatchObject(refused);
    expect(await world.register(serial, { public_key: third })).toMatchObject({ ok: true });
  });

  it('unit-writes.W4 once every token of an earlier key has expired, the serial number is free', async () => {
    const [world, one] = await UnitWorld.start();
    const writing = { bus: one.bus, clock: one.clock, count: () => one.fleet.book.size };
    const enrolled = createUser().getPublicKey();
    await world.finish(enrolUnit(writing, { serial: 'bench-07', publicKey: enrolled, by: 'ada' }));
    await world.finish(removeUnit(writing, 'bench-07'));
    one.clock.step(UNIT_CREDENTIAL_MS);
    expect(await world.register('bench-07')).toMatchObject({
      ok: false,
      faults: [{ code: 'unit::other-key' }],
    });
    one.clock.step(UNIT_LEFT_MS - UNIT_CREDENTIAL_MS + 1_000);
    expect(await world.register('bench-07')).toMatchObject({ ok: true });
    // One that registered by itself leaves nothing.
    expect(await world.finish(removeUnit(writing, 'bench-07'))).toBe(true);
    await world.run(1_000);
    expect(await world.finish(one.bus.bucket(buckets.units).list('>'))).toEqual([]);
  });

  it('unit-writes.W4 what is left of removed units takes no place of a unit, and is bounded', async () => {
    const [world, one] = await UnitWorld.start();
    const bucket = one.bus.bucket(buckets.units);
    const leave = (key: string, at: number): Promise<number> => {
      const enrolled = { at: new Date(at).toISOString(), by: 'ada' };
      const left = JSON.stringify({ public_key: KEY, removed: { enrolled } });
      return world.finish(bucket.overwrite(key, Buffer.from(left)));
    };
    for (let n = 0; n < UNITS_MOST; n += 1) await leave(`left-${n}`, one.clock.now());
    await leave('long-over', one.clock.now() - UNIT_LEFT_MS - 1_000);
    await world.run(1_000);
    expect(one.fleet.units()).toEqual([]);
    expect(await world.register('bench-07')).toMatchObject({ ok: true });
    const writing = { bus: one.bus, clock: one.clock, count: () => one.fleet.book.size };
    const unit = { serial: 'bench-08', publicKey: KEY, by: 'ada' };
    expect(await world.finish(enrolUnit(writing, unit))).toMatchObject({ ok: true });
    const keys = (await world.finish(bucket.list('>'))).map(({ key }) => key);
    expect(keys.filter((key) => /^(?:bench-.*|long-over|left-[01])$/.test(key)).sort()).toEqual([
      'bench-07',
      'bench-08',
      'left-1',
    ]);
    expect(keys).toHaveLength(UNITS_MOST + 1);
  });

  it('unit-writes.W1 by two front ends at once is one record', async () => {
    const [world, one] = await UnitWorld.start();
    const two = await world.process('two');
    const both = [one, two].map(({ bus, clock }) =>
      registerUnit({ bus, clock, count: () => 0 }, registrationOf('bench-07')),
    );
    expect(await world.finish(Promise.all(both))).toMatchObject([{ ok: true }, { ok: true }]);
    expect(world.stored('bench-07')).toMatchObject({ public_key: KEY, registered: { alive: true } });
  });

  it('is refused where the fleet is full, and one that is in it is not', async () => {
    const [world, one] = await UnitWorld.start();
    const full = { bus: one.bus, clock: one.clock, count: () => UNITS_MOST };
    await world.register('bench-07');
    const refused = await world.finish(registerUnit(full, registrationOf('bench-08')));
    expect(refused).toMatchObject({ ok: false, faults: [{ code: 'unit::too-many' }] });
    expect(await world.finish(registerUnit(full, registrationOf('bench-07')))).toMatchObject({ ok: true });
  });
});
