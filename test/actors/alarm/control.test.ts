/**
 * Commands of people to alarms over a bus in memory: which are passed on to the cell, and what the caller is answered.
 * Over the real bus and with real cells: `service.test.ts`.
 */

import { describe, expect, it } from 'vitest';
import { serveControl } from '../../../actors/alarm/control.ts';
import { Requests } from '../../../actors/alarm/requests.ts';
import type { AlarmReply } from '../../../contract/alarm.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { ALARM_COMMANDS_WAITING, ALARM_SETTLE_MS } from '../../../contract/limits/alarm.ts';
import type { AlarmCommand } from '../../../machines/alarm/protocol.ts';
import type { Told } from '../../../ports/cells.ts';
import { MemoryBus } from '../../links/memory-bus.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';

const NOW = Date.parse('2026-06-01T00:00:00.000Z');
const MINUTE = 60_000;
const MAX_MINUTES = 480;

/** Whoever serves every target serves this one. */
class BusOfOneTarget extends MemoryBus {
  override serve(about: string, answer: Parameters<MemoryBus['serve']>[1]): ReturnType<MemoryBus['serve']> {
    return super.serve(about.replace('*', 'sat1'), answer);
  }
}

function world() {
  const bus = new BusOfOneTarget();
  const clock = new ManualClock(NOW);
  const requests = new Requests(clock);
  const told: [string, AlarmCommand & { request: string }][] = [];
  const is = { holding: true, receipt: 'accepted' as Told };
  /** What the cell replies; undefined: nothing. */
  const cell: { reply: AlarmReply | undefined } = { reply: { outcome: 'accepted' } };
  const recorded = new Set(['sat1.obc._.hot', 'sat1.battery.1.low', 'sat1.o bc._.hot', 'sat1.*._.hot']);
  const served = serveControl({
    bus,
    clock,
    requests,
    holds: () => is.holding,
    isRecorded: async (key) => recorded.has(key),
    maxShelveMs: () => MAX_MINUTES * MINUTE,
    tell: (key, command) => {
      told.push([key, command]);
      const { reply } = cell;
      const { request } = command;
      if (reply !== undefined) void settled().then(() => requests.replied({ request, ...reply }));
      return is.receipt;
    },
  });
  const send = async (body: string): Promise<AlarmReply> => {
    const data = Buffer.from(body);
    const reply = await bus.request(subject.alarmControl('sat1'), data, { timeoutMs: 1_000 });
    return JSON.parse(Buffer.from(reply).toString()) as AlarmReply;
  };
  const ask = (call: object): Promise<AlarmReply> => send(JSON.stringify({ alarm: HOT, by: 'ada', ...call }));
  return { clock, requests, told, is, cell, served, send, ask };
}

const HOT = { component: 'obc', alarm: 'hot' };
const LOW = { component: 'battery', instance: '1', alarm: 'low' };
const ACKNOWLEDGE = { action: 'acknowledge' };

describe('a command to an alarm', () => {
  it.each([
    ['MC-ALM-033', ACKNOWLEDGE, { type: 'operator.acknowledge' }],
    ['MC-ALM-035', { action: 'unshelve' }, { type: 'operator.unshelve' }],
    [
      'MC-ALM-034',
      { action: 'shelve', forMs: 5 * MINUTE },
      { type: 'operator.shelve', until: NOW + 5 * MINUTE },
    ],
  ])('%s is passed on to its cell as %o, and accepted once the cell says so', async (_id, call, command) => {
    const { told, ask } = world();
    expect(await ask(call)).toEqual({ outcome: 'accepted' });
    expect(await ask({ ...call, alarm: LOW })).toEqual({ outcome: 'accepted' });
    const passed = { ...command, at: NOW, by: 'ada', request: expect.any(String) };
    expect(told).toEqual([
      ['sat1.obc._.hot', passed],
      ['sat1.battery.1.low', passed],
    ]);
  });

  it('alarm/control.D1 is refused with the sentence of its cell, and the alarm it is about', async () => {
    const { cell, ask } = world();
    cell.reply = { outcome: 'refused', reason: 'it is not shelved' };
    expect(await ask({ ...ACKNOWLEDGE, alarm: LOW })).toEqual({
      outcome: 'refused',
      reason: 'sat1 battery[1].low: it is not shelved',
    });
  });

  it.each([
    'no json',
    'null',
    '{}',
    JSON.stringify({ by: 'ada', action: 'acknowledge' }),
    JSON.stringify({ alarm: null, by: 'ada', action: 'acknowledge' }),
    JSON.stringify({ alarm: { component: 'obc' }, by: 'ada', action: 'acknowledge' }),
    JSON.stringify({ alarm: { alarm: 'hot' }, by: 'ada', action: 'acknowledge' }),
    JSON.stringify({ alarm: { ...HOT, instance: 1 }, by: 'ada', action: 'acknowledge' }),
    JSON.stringify({ alarm: HOT, action: 'acknowledge' }),
    JSON.stringify({ alarm: HOT, by: 7, action: 'acknowledge' }),
    JSON.stringify({ alarm: HOT, by: 'ada' }),
    JSON.stringify({ alarm: HOT, by: 'ada', action: 'delete', forMs: 1_000 }),
    JSON.stringify({ alarm: HOT, by: 'ada', action: 'shelve' }),
    JSON.stringify({ alarm: HOT, by: 'ada', action: 'shelve', forMs: '1000' }),
    '{"alarm":{"component":"obc","alarm":"hot"},"by":"ada","action":"shelve","forMs":1e999}',
  ])('alarm/control.D1 that cannot be read is refused and changes nothing: %s', async (body) => {
    const { told, send } = world();
    expect(await send(body)).toEqual({ outcome: 'refused', reason: 'the command is unknown' });
    expect(told).toEqual([]);
  });

  it('MC-ALM-043 is refused where the alarm has no record, or a name that none has', async () => {
    const { told, ask } = world();
    const reasons: string[] = [];
    for (const alarm of [
      { ...HOT, alarm: 'cold' },
      { ...HOT, component: 'o bc' },
      { ...HOT, component: '*' },
    ]) {
      const reply = await ask({ ...ACKNOWLEDGE, alarm });
      reasons.push(reply.outcome === 'refused' ? reply.reason : reply.outcome);
    }
    const never = 'has never been raised: there is no record of it';
    expect(reasons).toEqual([`sat1 obc.cold ${never}`, `sat1 o bc.hot ${never}`, `sat1 *.hot ${never}`]);
    expect(told).toEqual([]);
  });

  it.each([
    [0, 'the duration must be positive'],
    [-1, 'the duration must be positive'],
    [(MAX_MINUTES + 0.5) * MINUTE, '480.5 min is longer than alarms.max_shelve, 480 min'],
  ])('MC-ALM-045 is refused where it shelves for %s ms', async (forMs, why) => {
    const { told, ask } = world();
    const reason = `sat1 obc.hot is not shelved: ${why}`;
    expect(await ask({ action: 'shelve', forMs })).toEqual({ outcome: 'refused', reason });
    expect(told).toEqual([]);
  });

  it('MC-ALM-045 is accepted where it shelves for a millisecond, or as long as one may', async () => {
    const { ask } = world();
    for (const forMs of [1, MAX_MINUTES * MINUTE])
      expect(await ask({ action: 'shelve', forMs })).toEqual({ outcome: 'accepted' });
  });

  it.each([
    ['full', 'sat1 obc.hot: too many commands wait for it; ask again'],
    ['quarantined', 'sat1 obc.hot has failed and is set aside; resume it in the inspector'],
  ] as const)('alarm/control.D1 is refused with a sentence where its cell is %s', async (receipt, reason) => {
    const { is, cell, ask } = world();
    is.receipt = receipt;
    cell.reply = undefined;
    expect(await ask(ACKNOWLEDGE)).toEqual({ outcome: 'refused', reason });
  });

  it('alarm/control.D1 is refused while as many wait as may, and taken again once one is answered', async () => {
    const { requests, told, cell, ask } = world();
    cell.reply = undefined;
    const waiting = Array.from({ length: ALARM_COMMANDS_WAITING }, () => ask(ACKNOWLEDGE));
    await settled();
    expect([requests.waiting, told.length]).toEqual([ALARM_COMMANDS_WAITING, ALARM_COMMANDS_WAITING]);
    const reason = `${ALARM_COMMANDS_WAITING} commands wait for their alarms; ask again`;
    expect(await ask(ACKNOWLEDGE)).toEqual({ outcome: 'refused', reason });
    requests.replied({ request: told[0]![1].request, outcome: 'accepted' });
    expect(await waiting[0]).toEqual({ outcome: 'accepted' });
    cell.reply = { outcome: 'accepted' };
    expect(await ask(ACKNOWLEDGE)).toEqual({ outcome: 'accepted' });
    for (const [, { request }] of told) requests.replied({ request, outcome: 'accepted' });
    await Promise.all(waiting);
  });

  it('MC-ALM-042 is not answered where its cell is gone, or says nothing in its time', async () => {
    const { clock, is, cell, ask } = world();
    cell.reply = undefined;
    is.receipt = 'gone';
    await expect(ask(ACKNOWLEDGE)).rejects.toThrow('mcs.alarm.control.sat1');
    is.receipt = 'accepted';
    const late = expect(ask(ACKNOWLEDGE)).rejects.toMatchObject({
      cause: { message: 'sat1 obc.hot was not recorded in time' },
    });
    await settled();
    expect(clock.waiting).toBe(1);
    clock.advance(ALARM_SETTLE_MS);
    await late;
  });

  it('alarm/control.D2 is answered by nobody who does not lead any more, also where it would be refused', async () => {
    const { is, ask, send, served } = world();
    is.holding = false;
    const another = { cause: { message: 'another leader answers for alarms' } };
    await expect(ask(ACKNOWLEDGE)).rejects.toMatchObject(another);
    await expect(send('no json')).rejects.toMatchObject(another);
    is.holding = true;
    await served.stop();
    await expect(ask(ACKNOWLEDGE)).rejects.toMatchObject({ code: 'bus.no-responder' });
  });
});
