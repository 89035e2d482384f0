import { beforeEach, describe, expect, it } from 'vitest';
import { createFault } from '../../../../actors/run/effects/fault.ts';
import { subject } from '../../../../contract/bus/subjects.ts';
import type { FaultCall, FaultReply } from '../../../../contract/link.ts';
import { handOverMs } from '../../../../messaging/hand-overs.ts';
import { type EffectWorld, effectWorld, RUN, START } from './effect-world.ts';

const FAULT = {
  target: 'sat1',
  gateway: 'sim-1',
  fault: 'tm_silence',
  at: { afterMs: 0 },
  off: null,
};
let world: EffectWorld;
let asked: FaultCall[];

beforeEach(async () => {
  world = await effectWorld();
  asked = [];
});

function serve(reply: FaultReply | undefined): void {
  const gateway = world.open('gateway');
  gateway.serve(subject.gatewayVerb('sim-1', 'fault'), async (message) => {
    asked.push(JSON.parse(Buffer.from(message.data).toString()));
    if (reply === undefined) throw new Error('no answer');
    return Buffer.from(JSON.stringify(reply));
  });
}

const OBEYED: FaultReply = { ok: true, value: { faults: [{ fault: 'tm_silence', on: true }] } };

const switched = (at: number, on = true) =>
  world.begin(createFault(world.services), { type: 'effect.fault', index: 3, fault: FAULT, on, at });

describe('a fault of a run', () => {
  it('MC-RUN-023 MC-BUS-014 is switched at its time, in the name of the run', async () => {
    serve(OBEYED);
    const { seen } = switched(START + 10_000);
    await world.passes(9_990, 10);
    expect(asked).toEqual([]);
    await world.passes(10, 1);
    expect(asked).toEqual([{ fault: 'tm_silence', on: true, run: RUN, index: 3, by: 'ana' }]);
    expect(seen.event).toEqual({ type: 'fault.switched', at: START + 10_000, fault: 3, on: true });
  });

  it('is switched at once when its time is past', async () => {
    serve(OBEYED);
    const { seen } = switched(START - 60_000, false);
    await world.passes(50);
    expect(asked).toMatchObject([{ on: false }]);
    expect(seen.event).toMatchObject({ type: 'fault.switched', on: false });
  });

  it('run/fault-log.V4 is reported as on still where the gateway leaves it on for others', async () => {
    serve(OBEYED);
    const on = switched(START);
    const off = switched(START, false);
    await world.passes(50);
    expect(on.seen.event).not.toHaveProperty('staysOn');
    expect(off.seen.event).toMatchObject({ type: 'fault.switched', on: false, staysOn: true });
  });

  it('effects/fault.T3 is not switched by an executor that slept while another one took the run over', async () => {
    serve(OBEYED);
    let holds = true;
    const effect = { type: 'effect.fault', index: 3, fault: FAULT, on: true, at: START + 500 } as const;
    const { seen } = world.begin(createFault(world.services), effect, { holds: () => holds });
    holds = false;
    await world.passes(1_000);
    expect(asked).toEqual([]);
    expect(seen).toEqual({ event: undefined, over: true });
  });

  it('MC-SIM-007 is refused with the words of the simulator', async () => {
    const message = 'gateway sim-1 has no fault "tm_silence"; it has reject_all';
    serve({ ok: false, faults: [{ code: 'sim::refused', message }] });
    const { seen } = switched(START);
    await world.passes(50);
    expect(seen.event).toEqual({
      type: 'fault.refused',
      at: expect.any(Number),
      fault: 3,
      on: true,
      reason: message,
    });
  });

  it('is refused when the gateway is not there', async () => {
    const { seen } = switched(START);
    await world.passes(handOverMs() + 500, 100);
    expect(seen.event).toEqual({
      type: 'fault.refused',
      at: expect.any(Number),
      fault: 3,
      on: true,
      reason: 'gateway sim-1 is not running: nobody has served it for 10 s',
    });
  });

  it.each([
    ['is silent', undefined, 'gateway sim-1 did not answer within 5 s'],
    ['answers what cannot be read', { ok: 'yes' }, 'malformed reply from gateway sim-1'],
  ])('effects/fault.T2 may have been switched when the gateway %s', async (_what, reply, reason) => {
    serve(reply as FaultReply | undefined);
    const { seen } = switched(START);
    await world.passes(6_000, 100);
    expect(asked).toHaveLength(1);
    expect(seen.event).toMatchObject({ type: 'fault.refused', fault: 3, on: true, reason, mayBeDone: true });
  });

  it('finds a gateway that is being replaced', async () => {
    const { seen } = switched(START);
    await world.passes(2_000, 100);
    serve(OBEYED);
    await world.passes(2_000, 100);
    expect(seen.event).toMatchObject({ type: 'fault.switched' });
  });

  it('waits for a bus that is away, and no longer than it is waited for', async () => {
    serve(OBEYED);
    await world.passes(10);
    world.server.turn(false);
    const waiting = switched(START).seen;
    const given = switched(START);
    await world.passes(15_000, 250);
    expect(waiting.over).toBe(false);
    given.abort.abort();
    await world.settle();
    expect(given.seen).toEqual({ event: undefined, over: true });
    world.server.turn(true);
    await world.passes(2_000, 100);
    expect(waiting.event).toMatchObject({ type: 'fault.switched' });
    expect(asked).toHaveLength(1);
  });

  it('sets no timer once nobody waits for it', async () => {
    const { seen, abort } = switched(START + 60_000);
    abort.abort();
    await world.settle();
    expect(seen.over).toBe(true);
    expect(world.clock.waiting).toBe(0);
  });
});
