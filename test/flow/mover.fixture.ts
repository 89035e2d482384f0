/**
 * A process that moves passes and schedules that are long over, as the reconciler's leader does, until it is killed:
 * `node mover.fixture.mjs URL CREDENTIALS`. What it has moved has stood long enough at once, and no round is waited
 * for.
 */

import { openBus } from '../../bus/nats-bus.ts';
import { AGED_REST_MS } from '../../contract/limits/aged.ts';
import { openBooks } from '../../messaging/books.ts';
import type { Clock } from '../../ports/clock.ts';
import { realClock } from '../../supervision/clock.ts';
import { PassAgeing } from '../../supervision/reconciler/pass-ageing.ts';
import { startScheduleAgeing } from '../../supervision/reconciler/schedule-ageing.ts';
import { quiet } from '../support/nats.ts';

const [url = '', path = ''] = process.argv.slice(2);
const clock: Clock = {
  now: () => realClock.now() + 2 * AGED_REST_MS,
  monotonic: () => realClock.monotonic(),
  setTimeout: (fire, ms) => realClock.setTimeout(fire, Math.min(ms, 50)),
  clearTimeout: (timer) => realClock.clearTimeout(timer),
};
const bus = openBus({ url, name: 'mover', credentials: { kind: 'file', path }, log: quiet });
const books = openBooks({ bus, clock, log: quiet });
const options = {
  bus,
  clock,
  log: quiet,
  epoch: 1,
  holds: () => true,
  failed: (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
};
new PassAgeing({ ...options, passes: books.passes }).start();
startScheduleAgeing({ ...options, schedules: books.schedules });
await Promise.all([books.passes.ready, books.schedules.ready]);
process.stdout.write('moving\n');
