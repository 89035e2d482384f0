/**
 * Telecommands from submission to COMPLETE, through every role of the service in one process: in many lanes and in one,
 * and the time from POST to SENT at a moderate rate. Held against the five messages of a telecommand and nothing else:
 * published by one process with the same client and depth, and published by lanes that follow submissions.
 */

import { publishConfiguration } from '../../supervision/configuration.ts';
import { compiledFleet, gatewayNames, silence, targetNames } from '../fleet.ts';
import type { Ground } from '../ground.ts';
import type { Peer } from '../peer.ts';
import { type Contender, compare, type Result, type Row, type Settings } from '../row.ts';
import { measuredTurn, onGround, type Start } from '../with-peers.ts';

const LANES = 32;
const QUICK_LANES = 4;
/** About a round of work for a machine like the reference. */
const BURST = { many: 1_000, one: 150, quick: 40 };
const PER_SECOND = 100;
const MESSAGES = 'each is 5 messages: the submission, PENDING, ENCODED, SENT, COMPLETE';
const ROLES = ['api', 'executor', 'telemetry', 'drivers', 'gateways'];

interface World {
  readonly ground: Ground;
  readonly revision: string;
  readonly service: Peer;
  readonly servicePort: number;
  readonly bare: Peer;
  readonly barePort: number;
  /** One listens to the service, one to the lanes without it. */
  readonly load: Peer;
  readonly bareLoad: Peer;
}

export const telecommandRow: Row = {
  name: 'tc',
  async run(settings) {
    const targets = targetNames(settings.quick ? QUICK_LANES : LANES);
    return onGround(async (ground, start) =>
      measure(await startWorld(ground, targets, start), targets, settings),
    );
  },
};

async function startWorld(ground: Ground, targets: readonly string[], start: Start): Promise<World> {
  const { address, bus } = ground;
  const compiled = await compiledFleet(targets.length);
  await publishConfiguration(bus, compiled);
  const service = await start('service');
  const api = await service.call<string>('start', { address, roles: ROLES });
  await silence(bus, gatewayNames(targets, 1));
  const bare = await start('bare-telecommands');
  await bare.call('start', address);
  const barePort = await bare.call<number>('lanes', targets);
  const [load, bareLoad] = [await start('telecommand-load'), await start('telecommand-load')];
  await load.call('start', { address, events: 'mcs.tc.evt.*.*' });
  await bareLoad.call('start', { address, events: 'bench.evt.*.*' });
  const servicePort = Number(new URL(api).port);
  return { ground, revision: compiled.revision, service, servicePort, bare, barePort, load, bareLoad };
}

async function measure(world: World, targets: readonly string[], settings: Settings): Promise<Result[]> {
  const { quick } = settings;
  const many = await burst(
    world,
    { row: 'tc.many', targets, count: quick ? BURST.quick : BURST.many },
    settings,
  );
  const one = await burst(
    world,
    { row: 'tc.one', targets: targets.slice(0, 1), count: quick ? BURST.quick : BURST.one },
    settings,
  );
  return [many, one, await latency(world, targets, settings)];
}

interface Burst {
  readonly row: string;
  readonly targets: readonly string[];
  readonly count: number;
}

function burst(world: World, { row, targets, count }: Burst, settings: Settings): Promise<Result> {
  const { service, bare, load, bareLoad, revision } = world;
  const submitted = (name: string, peer: Peer, by: Peer, submit: string): Contender => ({
    name,
    turn: () =>
      measuredTurn({
        ground: world.ground,
        peer,
        generator: by,
        operations: count,
        work: () => by.call('burst', { submit, targets, count, revision }),
      }),
  });
  return compare(
    {
      row,
      unit: 'telecommands/s',
      note: `${targets.length} lanes, ${MESSAGES}`,
      contenders: [
        submitted('service', service, load, 'mcs.tc.submit'),
        {
          name: 'bare publishing',
          turn: () =>
            measuredTurn({
              ground: world.ground,
              peer: bare,
              operations: count,
              work: () => bare.call('publish', { count, lanes: targets.length }),
            }),
        },
        submitted('bare lanes', bare, bareLoad, 'bench.submit'),
      ],
      aim: { share: 0.5, of: 'bare publishing', by: 'rate' },
    },
    settings,
  );
}

function latency(world: World, targets: readonly string[], settings: Settings): Promise<Result> {
  const { service, servicePort, bare, barePort, load, bareLoad } = world;
  const contender = (name: string, peer: Peer, by: Peer, port: number): Contender => ({
    name,
    async turn() {
      const before = await peer.cpuUs();
      const call = { port, targets, perSecond: PER_SECOND, ms: settings.roundMs };
      const { count, p50Ms, p99Ms } = await by.call<{ count: number; p50Ms: number; p99Ms: number }>(
        'steady',
        call,
      );
      return { rate: PER_SECOND, cpuUs: ((await peer.cpuUs()) - before) / count, p50Ms, p99Ms };
    },
  });
  return compare(
    {
      row: 'tc.latency',
      unit: 'POST to SENT, telecommands/s offered',
      note: `open loop, ${targets.length} lanes`,
      contenders: [
        contender('service', service, load, servicePort),
        contender('bare lanes', bare, bareLoad, barePort),
      ],
      aim: { share: 0.5, of: 'bare lanes', by: 'latency' },
    },
    settings,
  );
}
