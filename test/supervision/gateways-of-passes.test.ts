/**
 * Everybody who asks which gateway a link has, in every situation of passes: who sends, who looks and who takes frames
 * agree (serving-gateway.W1 to W4).
 */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unreadiness } from '../../actors/run/readiness.ts';
import { encodeBatch } from '../../contract/batch.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { PASS_CHECK_MS } from '../../contract/limits/pass.ts';
import type { LinksView } from '../../contract/links-view.ts';
import { watchLinkFrames } from '../../http/routes/link-frames.ts';
import { launchRun } from '../../http/routes/runs.ts';
import { targetLinkRoutes } from '../../http/routes/target-links.ts';
import { linkRefusal } from '../../http/run-links.ts';
import { targetsOf } from '../../links/bindings.ts';
import { createFrameDecoder } from '../../links/frame-decoder.ts';
import { createSpacecraft } from '../../links/simulated/spacecraft.ts';
import { HandOvers } from '../../messaging/hand-overs.ts';
import type { Mission } from '../../mission/mission.ts';
import type { CurrentPasses } from '../../mission/pass/serving-gateway.ts';
import { resolveSimulatedFaults } from '../../mission/procedure/resolve/simulated-fault.ts';
import type { Bus } from '../../ports/bus.ts';
import { bindingsBySubject, stationBindings } from '../../supervision/reconciler/link-bindings.ts';
import { passesSoon } from '../../supervision/reconciler/pass-gateways.ts';
import { laneWorld, missionOf, submit } from '../actors/telecommand/lane-world.ts';
import { MemoryBus } from '../links/memory-bus.ts';
import { firstTerm } from '../support/decoding.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { TestMissions } from '../support/missions.ts';
import { bookOf } from '../support/passes.ts';
import { leaf, ping, programOf } from '../support/run-program.ts';
import { keptLog } from '../support/silent-log.ts';
import {
  expected,
  NOW,
  pass,
  SITUATIONS,
  type Situation,
  stationMission,
} from '../support/station-mission.ts';

const GATEWAYS = ['svalbard-1', 'kiruna-1', 'santiago-1'];

interface Asked {
  readonly mission: Mission;
  readonly passes: CurrentPasses;
  readonly environment: string;
  readonly situation: Situation;
}

/** A bus on which everybody answers that it is up; `verb` is asked of which gateways. */
function askedBus(): { readonly bus: Bus; of(verb: 'state'): string[]; stopped(): string[] } {
  const asked: string[] = [];
  const stopped: string[] = [];
  const watched = (to: string) => {
    return { caughtUp: Promise.resolve(0), stop: async () => void stopped.push(to) };
  };
  const bus = {
    connected: true,
    request: async (to: string) => {
      asked.push(to);
      return Buffer.from(JSON.stringify({ link: { state: 'up' } }));
    },
    bucket: () => ({ get: async () => undefined }),
    subscribe: (to: string) => watched(to),
    follow: async (_stream: unknown, to: string) => {
      asked.push(to);
      return watched(to);
    },
  };
  const of = (verb: string): string[] =>
    GATEWAYS.filter((name) => asked.includes(subject.gatewayVerb(name, verb as never)));
  return { bus: bus as unknown as Bus, of, stopped: () => stopped };
}

const clock = new ManualClock(NOW);
const program = (mission: Mission, environment: string) => ({
  ...programOf(mission.revision, [leaf('a', [ping()])]),
  environment,
});
const portsOf = (bus: Bus, { mission, passes }: Pick<Asked, 'mission' | 'passes'>, live = true) => {
  const book = { changes: 0, inProgress: passes.inProgress, near: passes.near, live };
  return { bus, clock, passes: book, missions: new TestMissions(mission), log: keptLog() } as never;
};

/** What each has for the default link, in each environment that it knows; undefined: no gateway. */
const SENDERS: Readonly<Record<string, (asked: Asked) => Promise<string | undefined>>> = {
  'a telecommand': async ({ mission, passes, environment }) => {
    const sat1 = mission.targets.get('sat1')!;
    const { platform } = missionOf(undefined).targets.get('sat1')!;
    const world = laneWorld({
      clock: new ManualClock(NOW),
      mission: { ...mission, targets: new Map([['sat1', { ...sat1, platform }]]) },
      passes,
    });
    world.bus.answer = (to) =>
      to.endsWith('.encode') ? { ok: true, value: { frame: 'c0' } } : { outcome: 'sent', at: NOW };
    await submit(world.bus, 1, { link: 'uhf', environment });
    await world.lane.start();
    await world.run(100);
    await world.lane.stop();
    const sent = world.bus.asked.map((each) => each.subject);
    return GATEWAYS.find((name) => sent.includes(subject.gatewayVerb(name, 'send')));
  },
  'the readiness of a run': async ({ mission, passes, environment }) => {
    const { bus, of } = askedBus();
    await unreadiness(
      { bus, clock, handOvers: new HandOvers(clock, 0), signal: new AbortController().signal, passes },
      mission,
      program(mission, environment),
    );
    return of('state')[0];
  },
  'the link view': async (asked) => {
    const { bus } = askedBus();
    const shown = targetLinkRoutes[0]!.handle({ params: { target: 'sat1' } } as never, portsOf(bus, asked));
    const { value } = (await shown) as { value: { body: LinksView } };
    const [link] = value.body.links;
    return link!.gateways.find(({ environments }) => environments!.includes(asked.environment))?.name;
  },
};

const faultGateway = ({ mission, passes }: Asked): string | undefined => {
  const { resolved } = resolveSimulatedFaults([{ target: 'craft', fault: 'tm_silence' }], {
    mission,
    environment: mission.environments.get('bench'),
    passesOf: (target) => passes.inProgress(target, NOW),
    targets: new Map([['craft', { target: mission.targets.get('sat1')! } as never]]),
    given: ['craft'],
    roles: ['craft'],
    steps: [],
  });
  return resolved[0]?.gateway;
};

const launchGateway = async ({ mission, passes }: Asked): Promise<string | undefined> => {
  const { bus, of } = askedBus();
  const refused = await linkRefusal(program(mission, 'in_orbit'), mission, { bus, clock, passes });
  expect(refused === undefined).toBe(of('state').length === 1);
  return of('state')[0];
};

/** Whose gateways may have received the target. */
const RECEIVERS: Readonly<Record<string, (asked: Asked) => Promise<string[]>>> = {
  'the decoder': async ({ mission, passes }) => {
    const heard: string[] = [];
    for (const gateway of GATEWAYS) {
      const bus = new MemoryBus();
      const log = keptLog();
      const decoder = createFrameDecoder({
        bus,
        missions: new TestMissions(mission),
        passes,
        gateway,
        log,
        term: firstTerm,
      });
      const packets: Buffer[] = [];
      const board = new ManualClock(NOW);
      createSpacecraft({ clock: board, seed: 3 }).onDownlink((packet) => packets.push(packet));
      board.advance(1_100);
      const data = encodeBatch({ at: packets.map(() => NOW), frames: packets });
      await decoder.handle({ subject: '', data, headers: {}, seq: 1, at: NOW, pending: 0 });
      if (bus.on(subject.decoded('sat1')).length > 0) heard.push(gateway);
    }
    return heard;
  },
  'the watch of frames': async (asked) => {
    const { bus, of } = askedBus();
    const request = { params: { target: 'sat1' }, query: { link: 'uhf' } } as never;
    const opened = await watchLinkFrames.open(request, portsOf(bus, asked), {} as never);
    if (opened.ok) await (opened.value as { stop(): Promise<void> }).stop();
    return of('state');
  },
  'the events of simulated faults': async ({ mission, passes }) =>
    GATEWAYS.filter((gateway) => targetsOf(mission, gateway, passes, NOW).includes('sat1')),
  'the bindings of the reconciler': async ({ mission, situation }) => {
    const soon = passesSoon(situation.passes, NOW).filter(({ target }) => target === 'sat1');
    const lasting = bindingsBySubject(mission, new Map());
    const during = stationBindings(mission, new Map(), new Map([['sat1', soon]]));
    return GATEWAYS.filter((name) => {
      const about = subject.gatewayVerb(name, 'bind');
      return [lasting, during].some((those) => those.get(about)?.some(({ link }) => link === 'uhf'));
    });
  },
};

describe.each(SITUATIONS)('MC-PASS-050 $name', (situation) => {
  const mission = stationMission(situation.own);
  const asked = (environment: string): Asked => {
    return { mission, passes: bookOf(situation.passes), environment, situation };
  };

  it.each(Object.entries(SENDERS))('%s', async (_who, gatewayOf) => {
    for (const environment of ['bench', 'in_orbit'])
      expect(await gatewayOf(asked(environment))).toBe(expected(situation, environment));
  });

  it('the launch in orbit', async () => {
    expect(await launchGateway(asked('in_orbit'))).toBe(expected(situation, 'in_orbit'));
  });

  it('a simulated fault', () => {
    expect(faultGateway(asked('bench'))).toBe(expected(situation, 'bench'));
  });

  it.each(Object.entries(RECEIVERS))('%s', async (_who, receiving) => {
    expect((await receiving(asked('bench'))).sort()).toEqual([...situation.receiving].sort());
  });
});

it.each([
  [
    'the link view',
    (ports: never) => targetLinkRoutes[0]!.handle({ params: { target: 'sat1' } } as never, ports),
  ],
  [
    'the watch of frames',
    (ports: never) =>
      watchLinkFrames.open({ params: { target: 'sat1' }, query: {} } as never, ports, {} as never),
  ],
  [
    'a launch with faults',
    (ports: never) => {
      const faults = [{ target: 'craft', fault: 'tm_silence' }];
      const body = { run: 'r', environment: 'bench', targets: { craft: 'sat1' }, faults };
      return launchRun.handle({ body, caller: { kind: 'declared', name: 'ada', roles: [] } } as never, ports);
    },
  ],
])('%s is not decided while the passes are not known', async (_who, ask) => {
  const asked = { mission: stationMission(), passes: bookOf([]) };
  const { bus } = askedBus();
  expect(await ask(portsOf(bus, asked, false))).toMatchObject({
    ok: false,
    faults: [{ code: 'api::unavailable' }],
  });
});

it('frame-watch.W3 the watch of frames follows passes that come and go', async () => {
  const passes = [pass(10, 20)];
  const { bus, of, stopped } = askedBus();
  const asked = { mission: stationMission(), passes: bookOf(passes) };
  const request = { params: { target: 'sat1' }, query: {} } as never;
  const own = new ManualClock(NOW);
  const ports = { ...(portsOf(bus, asked) as object), clock: own } as never;
  const opened = await watchLinkFrames.open(request, ports, {
    push: () => undefined,
    room: () => undefined,
  } as never);
  const frames = subject.frames('kiruna-1');
  expect(of('state')).toEqual(['svalbard-1']);
  await own.run(10 * 60_000, PASS_CHECK_MS);
  expect(of('state')).toEqual(['svalbard-1', 'kiruna-1']);
  expect(stopped()).not.toContain(frames);
  await own.run(12 * 60_000, PASS_CHECK_MS);
  expect(stopped()).toContain(frames);
  expect(stopped()).not.toContain(subject.frames('svalbard-1'));
  if (opened.ok) await (opened.value as { stop(): Promise<void> }).stop();
  expect(stopped()).toContain(subject.frames('svalbard-1'));
});

it('serving-gateway.W1 a telecommand on another link follows no pass', async () => {
  const mission = stationMission();
  const sat1 = mission.targets.get('sat1')!;
  const { platform } = missionOf(undefined).targets.get('sat1')!;
  const world = laneWorld({
    clock: new ManualClock(NOW),
    mission: { ...mission, targets: new Map([['sat1', { ...sat1, platform }]]) },
    passes: bookOf(SITUATIONS.find(({ name }) => name === 'in a pass')!.passes),
  });
  world.bus.answer = (to) =>
    to.endsWith('.encode') ? { ok: true, value: { frame: 'c0' } } : { outcome: 'sent', at: NOW };
  await submit(world.bus, 1, { link: 'other', environment: 'bench' });
  await world.lane.start();
  await world.run(100);
  await world.lane.stop();
  expect(world.bus.asked.map((each) => each.subject)).toContain(subject.gatewayVerb('svalbard-1', 'send'));
});

it('nobody asks for the gateway of a link past the passes', () => {
  const folders = ['actors', 'cli', 'http', 'links', 'messaging', 'mission', 'supervision', 'telemetry'];
  const files = folders.flatMap((folder) =>
    (readdirSync(folder, { recursive: true }) as string[]).map((file) => `${folder}/${file}`),
  );
  const askers = files.filter(
    (file) => file.endsWith('.ts') && /\bgatewayOf\(/.test(readFileSync(file, 'utf8')),
  );
  expect(askers.sort()).toEqual([
    // What a telecommand without a name in its history was given, by its owner and by its run.
    'actors/run/stand-down.ts',
    'actors/telecommand/given-gateway.ts',
    'mission/pass/serving-gateway.ts',
    'mission/resolve.ts',
  ]);
});
