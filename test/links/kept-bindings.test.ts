/** How a driver or gateway keeps what the reconciler sends it. */

import { expect, it } from 'vitest';
import { subject } from '../../contract/bus/subjects.ts';
import type { BindCall, LinkBinding } from '../../contract/mode.ts';
import { startDriverService } from '../../links/driver-service.ts';
import { KeptBindings } from '../../links/kept-bindings.ts';
import { demoMission, TestMissions } from '../support/missions.ts';
import { keptLog } from '../support/silent-log.ts';
import { MemoryBus } from './memory-bus.ts';

const all = () => true;
const binding = (seq: number, more: Partial<LinkBinding> = {}): LinkBinding => ({
  target: 'sat1',
  link: 'uhf',
  mode: `m${seq}`,
  parameters: {},
  overrides: {},
  epoch: 7,
  seq,
  ...more,
});

/** A delivery with that binding alone. */
const call = ({ epoch, seq, ...content }: LinkBinding): BindCall => ({ bindings: [content], epoch, seq });

it('kept-bindings.B1 keeps the newest delivery, whatever comes after it', () => {
  const kept = new KeptBindings();
  expect(kept.keep(call(binding(2)))).toEqual({ outcome: 'kept' });
  expect(kept.keep(call(binding(1)))).toEqual({ outcome: 'older' });
  expect(kept.keep(call(binding(2)))).toEqual({ outcome: 'kept' });
  expect(kept.of(all).map(({ mode }) => mode)).toEqual(['m2']);
});

it('kept-bindings.B1 takes a newer reconciler at its first delivery, and none of the one before any more', () => {
  const kept = new KeptBindings();
  kept.keep(call(binding(900)));
  expect(kept.keep(call(binding(1, { epoch: 8 })))).toEqual({ outcome: 'kept' });
  expect(kept.keep(call(binding(901)))).toEqual({ outcome: 'older' });
  expect(kept.of(all)).toEqual([binding(1, { epoch: 8 })]);
});

it('keeps a binding of a target whose mode is not known', () => {
  const kept = new KeptBindings();
  expect(kept.keep(call(binding(1, { mode: null })))).toEqual({ outcome: 'kept' });
  expect(kept.of(all).map(({ mode }) => mode)).toEqual([null]);
});

it('keeps each link for itself, in order, and forgets to show what is bound no more', () => {
  const kept = new KeptBindings();
  kept.keep(call(binding(5, { link: 'xband' })));
  kept.keep(call(binding(3)));
  expect(kept.of(all).map(({ link }) => link)).toEqual(['uhf', 'xband']);
  expect(kept.of((_target, link) => link === 'xband').map(({ link }) => link)).toEqual(['xband']);
});

it('kept-bindings.B1 keeps of one delivery what is newer and a binding, and says of the rest what it is', () => {
  const kept = new KeptBindings();
  const both = (seq: number, second: object): BindCall => {
    const { bindings } = call(binding(seq));
    return { ...call(binding(seq)), bindings: [...bindings, second as LinkBinding] };
  };
  kept.keep(call(binding(5, { link: 'xband' })));
  expect(kept.keep(both(4, { ...binding(4), link: 'xband' }))).toEqual({ outcome: 'older' });
  expect(kept.of(all).map(({ link, seq }) => [link, seq])).toEqual([
    ['uhf', 4],
    ['xband', 5],
  ]);
  expect(kept.keep(both(6, { ...binding(6), mode: 7 }))).toEqual({
    outcome: 'refused',
    reason: 'bindings[1] is not a link binding',
  });
  expect(kept.of(all).map(({ link, seq }) => [link, seq])).toEqual([
    ['uhf', 6],
    ['xband', 5],
  ]);
});

it.each([
  undefined,
  [],
  {},
  { bindings: null, epoch: 7, seq: 1 },
  { bindings: [null, 3], epoch: 7, seq: 1 },
  binding(1),
  ...(
    [
      { target: 7 },
      { link: undefined },
      { mode: 7 },
      { parameters: [] },
      { parameters: null },
      { overrides: 'none' },
      { overrides: undefined },
    ] as object[]
  ).map((wrong) => ({ ...call(binding(1)), bindings: [{ ...binding(1), ...wrong }] })),
  { ...call(binding(1)), epoch: '1' },
  { ...call(binding(1)), seq: 0.5 },
])('refuses %j', (delivery) => {
  const kept = new KeptBindings();
  expect(kept.keep(delivery as object | undefined)).toMatchObject({ outcome: 'refused' });
  expect(kept.of(all)).toEqual([]);
});

it('a driver answers bind, shows it in its state, and keeps it over a change of its settings', async () => {
  const bus = new MemoryBus();
  const wished: unknown[] = [];
  bus.serve(subject.bindingsWanted, async ({ data }) => {
    wished.push(JSON.parse(Buffer.from(data).toString()));
    return Buffer.from('{}');
  });
  const mission = demoMission();
  const missions = new TestMissions(mission);
  const service = startDriverService({ bus, missions, log: keptLog() });
  expect(wished).toEqual([{ driver: 'pus' }, { driver: 'pus-files' }, { driver: 'packets' }]);
  expect(await bus.ask(subject.driverVerb('pus', 'bind'), call(binding(1)))).toEqual({ outcome: 'kept' });
  const other = binding(2, { target: 'noaa20', link: 'replay' });
  await bus.ask(subject.driverVerb('pus', 'bind'), call(other));
  const state = () => bus.ask(subject.driverVerb('pus', 'state'), {});
  expect(await state()).toMatchObject({ driver: 'pus', bindings: [binding(1)] });
  const pus = { ...mission.drivers.get('pus')!, settings: { source: 3 } };
  missions.publish({ ...mission, drivers: new Map([...mission.drivers, ['pus', pus]]) });
  expect(await state()).toMatchObject({ driver: 'pus', bindings: [binding(1)] });
  await service.stop();
});
