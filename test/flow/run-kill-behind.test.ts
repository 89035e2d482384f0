/**
 * kill -9 of the executor behind the append of every event of a run's log, with another executor alive: the log has no
 * gap, no telecommand that changes the state leaves twice, the run goes on or asks as section 3.2 of the Mission
 * Control Service says, and who follows it sees every event once.
 */

import { afterAll, beforeAll, describe, it } from 'vitest';
import { pointsOf } from '../support/kill-points.ts';
import { type KillDrill, killedAt, killPoints, startKillDrill } from './run-kill.fixture.ts';

const POINTS = pointsOf(killPoints('committed'), 'counterpart');
let drill: KillDrill;

beforeAll(async () => {
  drill = await startKillDrill(POINTS);
}, 180_000);
afterAll(() => drill.stop());

describe('kill -9 of the executor that holds a run, behind each append', () => {
  it.each(POINTS)(
    'MC-LOG-002 MC-LOG-022 MC-STM-005 MC-STM-028 MC-BUS-008 killed at %s: whole, asks or goes on, nothing twice',
    (point) => killedAt(drill, point, POINTS.indexOf(point)),
    240_000,
  );
});
