/**
 * Two charts driven by hand: a door of your own and the telecommand of the service. Copy the folder, then
 * `node --import tsx door.example.ts`; under a test runner the same lines go into its tests. See docs/harness.md.
 */

import assert from 'node:assert/strict';
import { drive, explore, restore, walkTable } from 'open-mission-control/harness';
import { telecommandMachine } from 'open-mission-control/machines/telecommand';
import { doorMachine } from './door.ts';

const input = { name: 'payload bay' };

// Events in, effects out, step by step.
drive(doorMachine, { input })
  .expectAccepts(['operator.open'])
  .send({ type: 'operator.open' })
  .expectState('warming')
  .expectEffects({ type: 'effect.heat', on: true })
  .send({ type: 'heater.warm' })
  .expectEffects('effect.heat', { type: 'effect.drive', direction: 'open' })
  .send({ type: 'motor.opened' })
  .expectRecords({ type: 'record', state: 'OPEN', at: 0 });

// Time passes when you say so.
drive(doorMachine, { input })
  .send({ type: 'operator.open' })
  .advance('59 s')
  .expectState('warming')
  .advance('1 s')
  .expectState('STUCK');

// A process that dies takes nothing with it: the deadline goes on, counted from where it was.
const warming = drive(doorMachine, { input }).send({ type: 'operator.open' }).advance('50 s');
warming.crash('5 s').expectState('warming').advance('5 s').expectState('STUCK');
const saved = drive(doorMachine, { input }).send({ type: 'operator.open' }).snapshot();
restore(doorMachine, saved, { at: 120_000 }).expectState('STUCK');

// Every corner: what can be reached, how, and what must hold on the way.
const explored = explore(doorMachine, {
  input,
  events: [
    { type: 'operator.open' },
    { type: 'operator.close' },
    { type: 'heater.warm' },
    { type: 'motor.opened' },
    { type: 'motor.stuck', reason: 'ice' },
  ],
  distinguish: ({ context }) => `attempt ${context.attempts}`,
});
assert.deepEqual(explored.unreached, []);
explored.everyPath(({ to, effects }) => {
  const drives = effects.filter(({ type }) => type === 'effect.drive');
  assert.ok(drives.length === 0 || to === 'opening', 'the motor runs only while opening');
});
explored.to('STUCK').drive().expectAccepts([]);

// A transition table: listed pairs go where it says, all others stay put.
const walked = walkTable(doorMachine, {
  input,
  rows: [
    { from: 'CLOSED', on: { type: 'operator.open' }, to: 'warming' },
    { from: 'warming', on: { type: 'heater.warm' }, to: 'opening' },
    { from: 'warming', on: { type: 'operator.close' }, to: 'CLOSED' },
    { from: 'warming', on: 'deadline', to: 'STUCK' },
    { from: 'opening', on: { type: 'motor.opened' }, to: 'OPEN' },
  ],
});

// The charts of the service are driven alike.
drive(telecommandMachine, {
  input: {
    id: '01J0000000000000000000000A',
    target: 'sat1',
    component: 'obc',
    telecommand: 'reset',
    changesState: true,
    verifyWithinMs: 10_000,
    at: 0,
  },
})
  .send({ type: 'requires.satisfied' }, { type: 'driver.encoded', frame: 'c0ffee' })
  .expectEffects('effect.check', 'effect.encode', { type: 'effect.send', frame: 'c0ffee' })
  // It is not known whether the frame left, and it changes the state on board: it is not sent again.
  .send({ type: 'gateway.unknown', detail: 'the gateway was restarted' })
  .expectState('SEND_FAILED')
  .expectEffects('effect.release');

console.log(`${explored.paths.length} states, ${walked.listed} pairs listed, ${walked.unlisted} stay put`);
