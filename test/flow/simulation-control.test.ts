/**
 * Simulation control end to end on the demo mission: the API in one process, everything else in another. What is
 * switched happens on board.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultEvent, SimulatedFaults } from '../../contract/simulation.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { call, codes, type ErrorBody, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const KNOWN = [
  'cell_drain',
  'tm_silence',
  'no_reports',
  'reject_all',
  'slow_completion',
  'bad_checksum',
  'short_files',
  'wrong_generation',
  'no_chunks',
  'uplink_dead',
];
let nats: TestNats;
let flight: DemoCell;
let front: DemoCell;
const reported: FaultEvent[] = [];
const subjects: string[] = [];

beforeAll(async () => {
  nats = await startNats();
  flight = await startDemoCell({ nats, roles: ['executor', 'telemetry', 'drivers', 'gateways'] });
  front = await startDemoCell({ nats, roles: ['api'] });
  front.bus.subscribe('mcs.sim.evt.*', (message) => {
    const event = JSON.parse(Buffer.from(message.data).toString()) as FaultEvent;
    subjects.push(message.subject);
    reported.push(event);
  });
});
afterAll(async () => {
  await front.stop();
  await flight.service.stop();
  await nats.stop();
});

const faultsUrl = (gateway: string): string => `${front.api}/v1/sim/${gateway}/faults`;

function change(fault: string, on: boolean, gateway = 'sim-1', headers: Record<string, string> = {}) {
  return call<SimulatedFaults>('POST', `${faultsUrl(gateway)}/${fault}`, { on }, headers);
}

async function outcome(telecommand: string): Promise<TcEvent[]> {
  const { body } = await call<TcReply>('POST', `${front.api}/v1/tc`, { target: 'sat1', telecommand });
  const events = await readLog<TcEvent>(`${front.api}/v1/tc/sat1/${body.id}/events`);
  return events;
}

const isOn = ({ faults }: SimulatedFaults, name: string) => faults.find(({ fault }) => fault === name)?.on;

describe('simulation control', () => {
  it('MC-SIM-006 lists the faults the document allows, all off at first', async () => {
    // The gateway is claimed by its process a moment after that is ready.
    const { body } = await until(async () => {
      const answer = await call<SimulatedFaults>('GET', faultsUrl('sim-1'));
      return answer.status === 200 && answer;
    });
    expect(body).toEqual({ gateway: 'sim-1', faults: KNOWN.map((fault) => ({ fault, on: false })) });
  });

  it('MC-SIM-006 what is switched happens on board: reject_all ends a telecommand VERIFY_FAILED', async () => {
    expect((await outcome('obc.ping')).at(-1)?.state).toBe('VERIFIED');
    expect(isOn((await change('reject_all', true)).body, 'reject_all')).toBe(true);
    const events = await outcome('obc.ping');
    expect(events.map(({ state }) => state)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFY_FAILED']);
    expect(isOn((await change('reject_all', false)).body, 'reject_all')).toBe(false);
    expect((await outcome('obc.ping')).at(-1)?.state).toBe('VERIFIED');
  });

  it('a fault of the gateway itself: uplink_dead ends a telecommand SEND_FAILED', async () => {
    await change('uplink_dead', true);
    expect((await outcome('camera.ping')).at(-1)?.state).toBe('SEND_FAILED');
    await change('uplink_dead', false);
    expect((await outcome('camera.ping')).at(-1)?.state).toBe('COMPLETE');
  });

  it('MC-SIM-005 MC-BUS-014 MC-BUS-015 reports each switch on the subject of the target it reaches', async () => {
    reported.length = 0;
    const before = Date.now();
    await change('tm_silence', true, 'sim-1', { 'x-mcs-user': 'ada' });
    await change('tm_silence', false);
    await until(() => reported.length >= 2);
    expect(reported).toEqual([
      { by: 'ada', target: 'sat1', fault: 'tm_silence', on: true, at: reported[0]!.at },
      { target: 'sat1', fault: 'tm_silence', on: false, at: reported[1]!.at },
    ]);
    expect([...new Set(subjects)]).toEqual(['mcs.sim.evt.sat1']);
    for (const { at } of reported) {
      expect(new Date(at).toISOString()).toBe(at);
      expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
    }
  });

  it('MC-SIM-003 refuses an unknown fault with 422, names those that exist, and reports nobody', async () => {
    reported.length = 0;
    const answer = await change('meteor', true);
    expect([answer.status, codes(answer)]).toEqual([422, ['sim::refused']]);
    const [error] = (answer.body as unknown as ErrorBody).errors;
    for (const fault of KNOWN) expect(error!.message).toContain(fault);
    await change('cell_drain', true);
    await change('cell_drain', false);
    await until(() => reported.length >= 2);
    expect(reported.map(({ fault }) => fault)).toEqual(['cell_drain', 'cell_drain']);
  });

  it('MC-SIM-002 a recording is not simulated: 422', async () => {
    const answer = await call('GET', faultsUrl('replay-1'));
    expect([answer.status, codes(answer)]).toEqual([422, ['sim::not-simulated']]);
    const changed = await change('tm_silence', true, 'replay-1');
    expect([changed.status, codes(changed)]).toEqual([422, ['sim::not-simulated']]);
  });

  it('MC-SIM-001 a gateway that is not in the topology: 404', async () => {
    const answer = await call('GET', faultsUrl('sim-9'));
    expect([answer.status, codes(answer)]).toEqual([404, ['sim::unknown-gateway']]);
  });

  it('MC-SIM-004 a gateway whose process has gone: 504, and it answers again when another has taken it over', async () => {
    await flight.service.stop();
    const silent = await call('GET', faultsUrl('sim-1'));
    expect([silent.status, codes(silent)]).toEqual([504, ['sim::timeout']]);
    flight = await startDemoCell({ nats, roles: ['gateways'] });
    const answer = await until(async () => {
      const faults = await call<SimulatedFaults>('GET', faultsUrl('sim-1'));
      return faults.status === 200 && faults;
    });
    expect(answer.body.faults.every(({ on }) => !on)).toBe(true);
  });
});
