/** The gateway of a telecommand during a pass: chosen as it is encoded, and kept whatever the pass does then. */

import { describe, expect, it } from 'vitest';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { Outage } from '../../../contract/outage.ts';
import type { StoredPass } from '../../../contract/pass.ts';
import { handOverMs } from '../../../messaging/hand-overs.ts';
import type { Mission } from '../../../mission/mission.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { bookOf } from '../../support/passes.ts';
import { NOW, pass, stationMission } from '../../support/station-mission.ts';
import { eventsOf, idOf, laneWorld, missionOf, recorded, submit } from './lane-world.ts';
import { LogBus } from './log-bus.ts';

const MINUTE = 60_000;
const GATEWAYS = ['svalbard-1', 'kiruna-1', 'santiago-1'];

function lane(
  passes: readonly StoredPass[],
  { bus = new LogBus(), clock = new ManualClock(NOW), epoch = 1, changesState = true, isKept = false } = {},
) {
  const mission = stationMission();
  const sat1 = mission.targets.get('sat1')!;
  const { platform } = missionOf(undefined, 'one', changesState).targets.get('sat1')!;
  const flown: Mission = { ...mission, targets: new Map([['sat1', { ...sat1, platform }]]) };
  const world = laneWorld({ bus, clock, epoch, mission: flown, passes: bookOf(passes), isKept });
  bus.answer = (to) =>
    to.endsWith('.encode') ? { ok: true, value: { frame: 'c0' } } : { outcome: 'sent', at: clock.now() };
  return world;
}

/** Which gateways were asked to send, in order. */
const askedOf = (bus: LogBus): string[] =>
  bus.asked.flatMap(({ subject: to }) => GATEWAYS.filter((name) => to === subject.gatewayVerb(name, 'send')));

const detailOf = (bus: LogBus, n: number): string | undefined => eventsOf(bus, n).at(-1)?.detail;

const gatewayIn = (bus: LogBus, state: string): string | undefined =>
  bus
    .messages(streams.telecommandEvents)
    .find(({ data }) => JSON.parse(Buffer.from(data).toString()).state === state)?.headers[header.gateway];

const orbit = { link: 'uhf', environment: 'in_orbit' };

describe('MC-PASS-050 a telecommand in a pass', () => {
  it('given-gateway.V1 names its gateway in its history, and outside passes none', async () => {
    const [during, before] = [lane([pass(-5, 5)]), lane([pass(5, 15)])];
    for (const { bus, ...world } of [during, before]) {
      await submit(bus, 1, orbit);
      await world.lane.start();
      await world.run(100);
      await world.lane.stop();
      expect(eventsOf(bus, 1).at(-1)?.state).toBe('COMPLETE');
    }
    expect([gatewayIn(during.bus, 'ENCODED'), gatewayIn(before.bus, 'ENCODED')]).toEqual([
      'kiruna-1',
      undefined,
    ]);
    expect([askedOf(during.bus), askedOf(before.bus)]).toEqual([['kiruna-1'], ['svalbard-1']]);
  });

  it('given-gateway.V2 that waits for SENT at LOS is asked of its gateway again, never of another one', async () => {
    const { bus, clock, ...world } = lane([pass(-5, 1)]);
    let calls = 0;
    const obliging = bus.answer;
    bus.answer = (to, call) => {
      if (!to.endsWith('.send')) return obliging(to, call);
      calls += 1;
      if (calls === 1) clock.advance(2 * MINUTE);
      if (calls === 1) throw new Outage('bus.timeout', 'late');
      return { outcome: 'sent', at: clock.now() };
    };
    await submit(bus, 1, orbit);
    await world.lane.start();
    await world.run(10_000);
    expect(clock.now()).toBeGreaterThan(NOW + MINUTE);
    expect(askedOf(bus)).toEqual(['kiruna-1', 'kiruna-1']);
    expect(bus.asked.at(-1)?.call).toMatchObject({ recovering: {} });
    // The next one leaves behind LOS.
    await submit(bus, 2, orbit);
    await world.run(1_000);
    await world.lane.stop();
    expect(askedOf(bus).at(-1)).toBe('svalbard-1');
  });

  it('given-gateway.V2 that changes nothing is sent a second time by the same gateway alone', async () => {
    const { bus, clock, ...world } = lane([pass(-5, 1)], { changesState: false });
    const obliging = bus.answer;
    bus.answer = (to, call) => {
      if (!to.endsWith('.send')) return obliging(to, call);
      clock.advance(MINUTE);
      return { outcome: 'unknown', detail: 'nobody knows' };
    };
    await submit(bus, 1, orbit);
    await world.lane.start();
    await world.run(10_000);
    await world.lane.stop();
    expect(askedOf(bus)).toEqual(['kiruna-1', 'kiruna-1']);
    expect(eventsOf(bus, 1).at(-1)?.state).toBe('SEND_FAILED');
  });

  it.each([{ isKept: false }, { isKept: true }])(
    'given-gateway.V2 is asked by the next owner of the gateway it was given, behind LOS: %j',
    async (how) => {
      const first = lane([pass(-5, 1)], how);
      const { bus, clock } = first;
      bus.answer = (to) => {
        if (to.endsWith('.encode')) return { ok: true, value: { frame: 'c0' } };
        return new Promise(() => undefined);
      };
      await submit(bus, 1, orbit);
      await first.lane.start();
      await first.run(100);
      expect(askedOf(bus)).toEqual(['kiruna-1']);
      await first.lane.stop();
      clock.advance(5 * MINUTE);
      const heir = lane([pass(-5, 1)], { bus, clock, epoch: 2, ...how });
      bus.answer = () => ({ outcome: 'unknown', detail: 'the gateway cannot tell' });
      await heir.lane.start();
      await heir.run(1_000);
      await heir.lane.stop();
      expect(askedOf(bus)).toEqual(['kiruna-1', 'kiruna-1']);
      expect(gatewayIn(bus, 'SEND_FAILED')).toBe('kiruna-1');
    },
  );

  it('given-gateway.V1 encoded before a version that knows passes goes to the gateway of its link, also in a pass', async () => {
    const { bus, ...world } = lane([pass(-5, 5)]);
    await submit(bus, 1, orbit);
    await recorded(bus, 1, 'PENDING', 'ENCODED');
    await world.lane.start();
    await world.run(1_000);
    await world.lane.stop();
    expect(askedOf(bus)).toEqual(['svalbard-1']);
  });

  it('given-gateway.V3 leaves by no antenna where its station has none in orbit, and its end says why', async () => {
    const { bus, ...world } = lane([pass(-5, 5, { station: 'kourou' })]);
    await submit(bus, 1, orbit);
    await submit(bus, 2, { link: 'uhf', environment: 'bench' });
    await world.lane.start();
    await world.run(1_000);
    await world.lane.stop();
    expect(eventsOf(bus, 1).at(-1)?.state).toBe('SEND_FAILED');
    expect(detailOf(bus, 1)).toBe(
      'no gateway serves link uhf: pass p over kourou: no gateway carries the tags s-band, kourou',
    );
    expect(askedOf(bus)).toEqual(['svalbard-1']);
  });

  it('given-gateway.V3 that had none goes to none behind LOS either', async () => {
    const first = lane([pass(-5, 1, { station: 'kourou' })]);
    const { bus, clock } = first;
    const stored: Promise<void>[] = [];
    let release: () => void = () => undefined;
    bus.fate = (id) => {
      if (id !== `${idOf(1)}-ENCODED`) return undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      stored.push(held);
      return held;
    };
    await submit(bus, 1, orbit);
    await first.lane.start();
    await settled();
    await first.run(10);
    expect(stored).toHaveLength(1);
    await first.lane.stop();
    release();
    await settled();
    expect(gatewayIn(bus, 'ENCODED')).toBe('.');
    clock.advance(5 * MINUTE);
    const heir = lane([pass(-5, 1, { station: 'kourou' })], { bus, clock, epoch: 2 });
    await heir.lane.start();
    await heir.run(1_000);
    await heir.lane.stop();
    expect(askedOf(bus)).toEqual([]);
    expect(eventsOf(bus, 1).at(-1)?.state).toBe('SEND_FAILED');
  });

  it('fails where the gateway of its station dies, and takes no other way', async () => {
    const { bus, ...world } = lane([pass(-5, 5)]);
    const obliging = bus.answer;
    bus.answer = (to, call) => {
      if (to === subject.gatewayVerb('kiruna-1', 'send')) throw new Outage('bus.no-responder', to);
      return obliging(to, call);
    };
    await submit(bus, 1, orbit);
    await world.lane.start();
    await world.run(handOverMs() + 5_000);
    await world.lane.stop();
    expect(new Set(askedOf(bus))).toEqual(new Set(['kiruna-1']));
    expect(detailOf(bus, 1)).toBe('gateway kiruna-1 is not running: nobody has served it for 10 s');
  });

  it('follows a pass that is moved or cancelled while it is in progress', async () => {
    const passes = [pass(-5, 5)];
    const { bus, ...world } = lane(passes);
    await world.lane.start();
    const askedBehind = async (n: number, ...changed: StoredPass[]): Promise<string | undefined> => {
      passes.splice(0, passes.length, ...changed);
      await submit(bus, n, orbit);
      await world.run(100);
      return askedOf(bus).at(-1);
    };
    expect(await askedBehind(1, pass(-5, 5))).toBe('kiruna-1');
    expect(await askedBehind(2, pass(2, 12))).toBe('svalbard-1');
    expect(await askedBehind(3, pass(-1, 12))).toBe('kiruna-1');
    expect(await askedBehind(4, pass(-1, 12, { station: 'santiago' }))).toBe('santiago-1');
    expect(await askedBehind(5, pass(-1, 12, { status: 'cancelled' }))).toBe('svalbard-1');
    await world.lane.stop();
  });
});
