/**
 * Whoever asks over the bus and finds nobody behind an outage of the bus waits, or says that it does not know: "is not
 * running" is said of nobody who may be on his way back (ports/bus.P5).
 */

import { describe, expect, it } from 'vitest';
import { createFault } from '../../actors/run/effects/fault.ts';
import { unreadiness } from '../../actors/run/readiness.ts';
import type { Handler, RunAtHand, RunServices } from '../../actors/run/services.ts';
import { createEncoder } from '../../actors/telecommand/effects/encode.ts';
import { sendFrame } from '../../actors/telecommand/sending.ts';
import { Outage } from '../../contract/outage.ts';
import { askForFaults } from '../../http/gateway.ts';
import { HandOvers } from '../../messaging/hand-overs.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import { NO_PASSES } from '../../mission/pass/serving-gateway.ts';
import type { Bus } from '../../ports/bus.ts';
import type { EffectRun } from '../../ports/entity.ts';
import { realClock } from '../../supervision/clock.ts';
import { demoMission } from '../support/missions.ts';
import { leaf, ping, programOf } from '../support/run-program.ts';
import { keptLog } from '../support/silent-log.ts';

const mission = demoMission();
const program = programOf(mission.revision, [leaf('a', [ping()])]);
const { signal } = new AbortController();
const at: RunAtHand = { run: 'r', program, mission, by: 'ana', holds: () => true };

/** Nobody is there for so many askings; then everybody answers this. */
function late(times: number, reply: object): { bus: Bus; asked: () => number } {
  let asked = 0;
  const request = async (): Promise<Uint8Array> => {
    asked += 1;
    if (asked <= times) throw new Outage('bus.timeout', 'nobody yet', { unsettled: true });
    return Buffer.from(JSON.stringify(reply));
  };
  return { bus: { request } as unknown as Bus, asked: () => asked };
}

const run: EffectRun = { id: 'cell', key: 'k', epoch: 1, signal };
const handOvers = new HandOvers(realClock, 0);
const services = (bus: Bus): RunServices =>
  ({ bus, clock: realClock, log: keptLog(), instance: 'i', handOvers }) as unknown as RunServices;
const begin = (handler: unknown, effect: object): Promise<unknown> =>
  (handler as Handler<'effect.fault'>)(effect as never, at, signal);
const OK = { ok: true, value: {} };
const SENT = { outcome: 'sent', at: 1 };
const fault = { target: 'sat1', gateway: 'sim-1', fault: 'tm_silence', at: { afterMs: 0 }, off: null };

const WAITING: readonly [string, object, (bus: Bus) => Promise<unknown>, unknown][] = [
  [
    'the sending of a frame',
    SENT,
    (bus) =>
      sendFrame(
        { bus, clock: realClock, handOvers },
        {
          gateway: 'g',
          isOfCell: true,
          frame: { target: 't', key: 'k', epoch: 1, frame: '' },
          recovering: undefined,
          expiresAt: Number.MAX_SAFE_INTEGER,
          hold: undefined,
          unheld: async () => undefined,
          position: async () => undefined,
          signal,
        },
      ),
    SENT,
  ],
  [
    'the encoding by a driver',
    { ok: true, value: { frame: 'c0' } },
    (bus) => {
      const definition = { mission, link: { driver: 'demo' } };
      const { encode } = createEncoder({ bus, clock: realClock, handOvers });
      return encode(
        { type: 'effect.encode' },
        {
          work: { submission: {}, definition },
          giveGateway: () => undefined,
          encoded: () => undefined,
        } as never,
        run,
      );
    },
    { type: 'driver.encoded', frame: 'c0' },
  ],
  [
    'the readiness of a target',
    {},
    (bus) =>
      retryWhileBusIsAway({ clock: realClock, signal }, () =>
        unreadiness({ bus, clock: realClock, handOvers, signal, passes: NO_PASSES }, mission, program),
      ),
    { value: [] },
  ],
  [
    'the fault of a run',
    { ok: true, value: { faults: [] } },
    (bus) =>
      begin(createFault(services(bus)), {
        type: 'effect.fault',
        index: 3,
        fault,
        on: true,
        at: realClock.now(),
      }),
    { type: 'fault.switched' },
  ],
];

describe('one who may be on his way back', () => {
  it.each(WAITING)('is waited for by %s', async (_name, reply, ask, expected) => {
    const { bus, asked } = late(2, reply);
    expect(await ask(bus)).toMatchObject(expected as object);
    expect(asked()).toBeGreaterThan(2);
  });

  it('is said not to have answered, not to be absent, by the API', async () => {
    const { bus } = late(10, OK);
    const answer = await askForFaults('sim-1', undefined, { bus, log: keptLog() });
    expect(JSON.stringify(answer)).toContain('did not answer within');
    expect(JSON.stringify(answer)).not.toContain('is not running');
  });
});
