/** What is reported the links of a mission, and when, on a real bus with drivers and gateways of the test. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { BINDINGS_AGAIN_MS, BINDINGS_AGAIN_PER_S } from '../../../contract/limits/link.ts';
import type { BindCall, LinkBinding, TargetMode } from '../../../contract/mode.ts';
import { KeptBindings, serveBindings } from '../../../links/kept-bindings.ts';
import type { Bus, Stoppable } from '../../../ports/bus.ts';
import {
  bindingsBySubject,
  type LinkBindings,
  type LinkBindingsOptions,
  startLinkBindings,
} from '../../../supervision/reconciler/link-bindings.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { demoMission, TestMissions } from '../../support/missions.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { keptLog } from '../../support/silent-log.ts';
import { pass, stationMission } from '../../support/station-mission.ts';
import { until } from '../../support/until.ts';

const mission = demoMission();
const since = '2026-01-02T03:04:05.678Z';
const DRIVER = subject.driverVerb('pus', 'bind');
const GATEWAY = subject.gatewayVerb('sim-1', 'bind');
const all = () => true;

describe('the bindings of a mission', () => {
  const of = (about: string, modes: Record<string, TargetMode> = {}) =>
    bindingsBySubject(mission, new Map(Object.entries(modes))).get(about);

  it('MC-MODE-016 carry the current mode and the values of its parameters, for driver and gateway of each link', () => {
    const [binding, ...more] = of(DRIVER, { sat1: { mode: 'safe', since } })!;
    expect(more).toEqual([]);
    expect(binding).toEqual({
      target: 'sat1',
      link: 'uhf',
      mode: 'safe',
      overrides: {},
      parameters: { 'obc.watchdog': 60, 'battery[1].heater_on': 5, 'battery[2].heater_on': 5 },
    });
    expect(of(GATEWAY, { sat1: { mode: 'safe', since } })).toEqual([binding]);
    expect([...bindingsBySubject(mission, new Map()).keys()]).toEqual([
      DRIVER,
      GATEWAY,
      subject.driverVerb('pus-files', 'bind'),
      subject.gatewayVerb('sim-2', 'bind'),
      subject.driverVerb('packets', 'bind'),
      subject.gatewayVerb('replay-1', 'bind'),
    ]);
  });

  it('MC-MODE-017 carry what an environment overrides, without those that override nothing', () => {
    expect(of(DRIVER, { sat1: { mode: 'nominal', since } })).toEqual([
      {
        target: 'sat1',
        link: 'uhf',
        mode: 'nominal',
        parameters: { 'obc.watchdog': 120, 'battery[1].heater_on': 0, 'battery[2].heater_on': -2 },
        overrides: { bench: { 'obc.watchdog': 600 } },
      },
    ]);
  });

  it('are those of the default mode where the stored one is not declared, and of none where none is', () => {
    expect(of(DRIVER, { sat1: { mode: 'turbo', since } })).toMatchObject([{ mode: 'safe' }]);
    expect(of(subject.gatewayVerb('replay-1', 'bind'))).toMatchObject([
      { target: 'noaa20', mode: null, parameters: {}, overrides: {} },
    ]);
  });
});

const leading = (
  about: Pick<LinkBindingsOptions, 'bus' | 'clock' | 'missions'> & Partial<Pick<LinkBindingsOptions, 'log'>>,
  epoch: number,
  holds = true,
): Promise<LinkBindings> =>
  startLinkBindings({
    log: keptLog(),
    ...about,
    random: { next: () => 1 },
    epoch,
    holds: () => holds,
    failed: (error) => {
      throw error;
    },
  });

it('link-bindings.K2 repeats what is bound in a large mission at a pace, each once in a round, and of a small one all at once', async () => {
  const sat = mission.targets.get('sat1')!;
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  };
  for (const targets of [3, 100]) {
    const clock = new ManualClock(1_000_000);
    const names = Array.from({ length: targets }, (_, n) => `sat${n}`);
    const copies = new Map(names.map((name) => [name, { ...sat, name }]));
    const reported: string[] = [];
    const bus = {
      bucket: () => ({ watch: async () => ({ ready: Promise.resolve(), stop: async () => undefined }) }),
      serve: () => ({ stop: async () => undefined }),
      request: async (about: string, data: Uint8Array) => {
        const { bindings } = JSON.parse(Buffer.from(data).toString()) as BindCall;
        reported.push(...bindings.map(({ target }) => `${about} ${target}`));
        return Buffer.from('{"outcome":"kept"}');
      },
    } as unknown as Bus;
    const missions = new TestMissions();
    const worker = await leading({ bus, clock, missions }, 1);
    missions.publish({ ...mission, targets: copies });
    await settle();
    const all = 2 * targets;
    expect(new Set(reported).size).toBe(all);
    for (let round = 0; round < 3; round += 1) {
      reported.length = 0;
      const seconds = BINDINGS_AGAIN_MS / 1_000;
      for (let second = 1; second <= seconds; second += 1) {
        const before = reported.length;
        clock.advance(1_000);
        await settle();
        expect(reported.length - before).toBeLessThanOrEqual(BINDINGS_AGAIN_PER_S);
        if (round === 0 && second < seconds) expect(reported).toEqual([]);
      }
      // The first round begins with the last of these seconds.
      if (round > 0) expect([reported.length, new Set(reported).size]).toEqual([all, all]);
    }
    await worker.stop();
    expect(clock.waiting).toBe(0);
  }
});

describe('the leader', () => {
  let nats: TestNats;
  let bus: NatsBus;
  let clock: ManualClock;
  let missions: TestMissions;
  let workers: LinkBindings[];
  let served: Stoppable[];

  beforeAll(async () => {
    nats = await startNats();
    bus = await nats.connected();
    await bus.ensureAssets({ deadlineMs: 20_000 });
  });
  afterAll(() => nats.stop());
  beforeEach(async () => {
    clock = new ManualClock(1_000_000);
    missions = new TestMissions(mission);
    [workers, served] = [[], []];
    await setMode('safe');
  });
  afterEach(async () => {
    await Promise.all([...workers, ...served].map((each) => each.stop()));
  });

  const setMode = (mode: string) =>
    bus.bucket(buckets.modes).overwrite('sat1', Buffer.from(JSON.stringify({ mode, since })));
  const lead = async (epoch: number, holds = true): Promise<LinkBindings> => {
    const worker = await leading({ bus, clock, missions }, epoch, holds);
    workers.push(worker);
    return worker;
  };
  const gateway = (): KeptBindings => {
    const kept = new KeptBindings();
    served.push(serveBindings(GATEWAY, { gateway: 'sim-1' }, kept, { bus, log: keptLog() }));
    return kept;
  };
  const mode = (kept: KeptBindings): LinkBinding['mode'] | undefined => kept.of(all)[0]?.mode;

  it('MC-MODE-016 reports who is there when it begins, and again when the mode changes', async () => {
    const kept = gateway();
    await lead(5);
    await until(() => mode(kept) === 'safe');
    expect(kept.of(all)[0]).toMatchObject({ epoch: 5 });
    await setMode('nominal');
    await until(() => mode(kept) === 'nominal');
    expect(kept.of(all)[0]?.overrides).toEqual({ bench: { 'obc.watchdog': 600 } });
  });

  it('mission/mode.M2 leaves the links of a target as they are bound where its mode cannot be read, and says so', async () => {
    await setMode('nominal');
    const log = keptLog();
    const worker = await leading({ bus, clock, missions, log }, 1);
    workers.push(worker);
    const kept = gateway();
    await until(() => mode(kept) === 'nominal');
    await bus.bucket(buckets.modes).overwrite('sat1', Buffer.from('{"mode":'));
    await until(() => log.said.some(({ message }) => message.includes('cannot be read')));
    expect(mode(kept)).toBe('nominal');
    await setMode('safe');
    await until(() => mode(kept) === 'safe');
  });

  it('reports when the configuration changes, a mode that is no longer declared included', async () => {
    await setMode('nominal');
    const kept = gateway();
    await lead(5);
    await until(() => mode(kept) === 'nominal');
    missions.publish(demoMission((text) => text.replaceAll('nominal', 'calm')));
    await until(() => mode(kept) === 'safe');
  });

  it('link-bindings.K1 K4 MC-PASS-050 reports to the gateway of a station before its pass, and its mode of then', async () => {
    missions.publish({ ...stationMission(), revision: 'stations' });
    const kept = new KeptBindings();
    const station = subject.gatewayVerb('kiruna-1', 'bind');
    served.push(serveBindings(station, { gateway: 'kiruna-1' }, kept, { bus, log: keptLog() }));
    const leader = await lead(5);
    leader.passesSoon([pass(9, 19)]);
    await until(() => mode(kept) === 'safe');
    leader.passesSoon([]);
    await setMode('nominal');
    leader.passesSoon([pass(9, 19)]);
    await until(() => mode(kept) === 'nominal');
  });

  it('link-bindings.K4 MC-MODE-016 a mode that changes costs what there is of its target, also during a pass', async () => {
    const stations = { ...stationMission(), revision: 'stations' };
    missions.publish(stations);
    const [driver, station] = [new KeptBindings(), new KeptBindings()];
    const kiruna = subject.gatewayVerb('kiruna-1', 'bind');
    served.push(serveBindings(DRIVER, { driver: 'pus' }, driver, { bus, log: keptLog() }));
    served.push(serveBindings(kiruna, { gateway: 'kiruna-1' }, station, { bus, log: keptLog() }));
    const leader = await lead(5);
    leader.passesSoon([pass(9, 19)]);
    const modes = () => [mode(driver), mode(station)].join();
    await until(() => modes() === 'safe,safe');
    const everyTarget = vi.spyOn(stations.targets, 'values');
    await setMode('nominal');
    await until(() => modes() === 'nominal,nominal');
    const bucket = bus.bucket(buckets.modes);
    await bucket.remove('sat1', (await bucket.get('sat1'))!.revision);
    await until(() => modes() === 'safe,safe');
    await bucket.overwrite('unknown', Buffer.from(JSON.stringify({ mode: 'nominal', since })));
    await setMode('nominal');
    await until(() => modes() === 'nominal,nominal');
    expect(everyTarget).not.toHaveBeenCalled();
    everyTarget.mockRestore();
    leader.passesSoon([]);
    missions.publish({ ...stations, revision: 'other' });
    await setMode('safe');
    await until(() => mode(driver) === 'safe');
  });

  it('link-bindings.K2 tells whoever begins to serve, from its request alone', async () => {
    const first = gateway();
    await lead(5);
    await until(() => mode(first) === 'safe');
    await served.pop()?.stop();
    const second = gateway();
    await until(() => mode(second) === 'safe');
    expect(clock.now()).toBe(1_000_000);
  });

  it('link-bindings.K2 reports everybody again after a while, who lost it without a word included', async () => {
    const kept = gateway();
    await lead(5);
    await until(() => mode(kept) === 'safe');
    await served.pop()?.stop();
    const forgetful = new KeptBindings();
    served.push(
      bus.serve(GATEWAY, async ({ data }) =>
        Buffer.from(JSON.stringify(forgetful.keep(JSON.parse(Buffer.from(data).toString())))),
      ),
    );
    // What was under way when its server stopped may be awaited for a while yet.
    await until(() => {
      clock.advance(BINDINGS_AGAIN_MS);
      return mode(forgetful) === 'safe';
    });
  });

  it('link-bindings.K3 changes nothing once another one leads: neither by what it sends late nor by anything it would send', async () => {
    const kept = gateway();
    await lead(5);
    await until(() => mode(kept) === 'safe');
    // Newer, and with another belief, so that a late delivery would show.
    kept.keep({ bindings: [{ ...kept.of(all)[0]!, mode: 'of the new leader' }], epoch: 6, seq: 1 });
    await setMode('nominal');
    clock.advance(BINDINGS_AGAIN_MS);
    await lead(7);
    await until(() => kept.of(all)[0]?.epoch === 7);
    expect(mode(kept)).toBe('nominal');
  });

  it('link-bindings.K3 reports nothing while it does not hold the lead', async () => {
    const kept = gateway();
    await lead(5, false);
    await setMode('nominal');
    await lead(6);
    await until(() => mode(kept) === 'nominal');
    expect(kept.of(all)[0]).toMatchObject({ epoch: 6, seq: expect.any(Number) });
  });
});
