import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unreadiness } from '../../../actors/run/readiness.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { HandOvers } from '../../../messaging/hand-overs.ts';
import type { Mission } from '../../../mission/mission.ts';
import { NO_PASSES } from '../../../mission/pass/serving-gateway.ts';
import type { Bus, Stoppable } from '../../../ports/bus.ts';
import { realClock } from '../../../supervision/clock.ts';
import { demoMission } from '../../support/missions.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { leaf, ping, programOf } from '../../support/run-program.ts';
import { until } from '../../support/until.ts';

let nats: TestNats;
let bus: Bus;
const mission = demoMission();

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(() => nats.stop());

const program = () => programOf(mission.revision, [leaf('a', [ping()])]);
/** Nobody is waited for. */
const handOvers = new HandOvers(realClock, 0);
const { signal } = new AbortController();
const look = (of: Mission = mission) =>
  unreadiness({ bus, clock: realClock, handOvers, signal, passes: NO_PASSES }, of, program());

function served(to: string, reply: object): Stoppable {
  return bus.serve(to, async () => Buffer.from(JSON.stringify(reply)));
}

/** The mission with another default link of sat1. */
function withLink(change: object): Mission {
  const sat1 = mission.targets.get('sat1')!;
  const uhf = sat1.links.get('uhf')!;
  const links = new Map([['uhf', { ...uhf, ...change }]]);
  return { ...mission, targets: new Map([['sat1', { ...sat1, links }]]) };
}

describe('MC-STM-029 a target is ready', () => {
  it('when driver and gateway of its default link answer, and says of each that does not', async () => {
    expect(await look()).toEqual([
      'sat1 is not ready: driver pus is not running',
      'sat1 is not ready: gateway sim-1 is not running: nobody has served it for 0 s',
    ]);
    const driver = served(subject.driverVerb('pus', 'state'), { driver: 'pus', protocol: 'pus-c' });
    expect(await look()).toEqual([
      'sat1 is not ready: gateway sim-1 is not running: nobody has served it for 0 s',
    ]);
    const gateway = served(subject.gatewayVerb('sim-1', 'state'), { link: { state: 'silent', since: 0 } });
    expect(await look()).toEqual([]);
    await Promise.all([driver.stop(), gateway.stop()]);
  });

  it('not when the gateway says that its link cannot work', async () => {
    const down = { link: { state: 'down', since: 0, reason: 'no such port' } };
    const both = [
      served(subject.driverVerb('pus', 'state'), {}),
      served(subject.gatewayVerb('sim-1', 'state'), down),
    ];
    expect(await look()).toEqual(['sat1 is not ready: the link of gateway sim-1 is down (no such port)']);
    await Promise.all(both.map((each) => each.stop()));
    await until(async () => (await look()).length === 2);
  });

  it('not when its default link is not bound, or nothing serves it', async () => {
    expect(await look(withLink({ driver: undefined }))).toEqual(['no driver is bound to link uhf of sat1']);
    const parameters = () => ({ gateway: undefined, tags: [], rate: undefined });
    expect(await look(withLink({ parameters }))).toEqual(['no gateway serves link uhf of sat1']);
  });
});
