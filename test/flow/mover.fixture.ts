/**
 * A process that moves passes and schedules that are long over, as the reconciler's leader does, until it is killed:
 * `node mover.fixture.mjs URL CREDENTIALS [WRITES]`. What it has moved has stood long enough at once, and no round is
 * waited for. Behind so many writes to what it moves it kills itself by SIGKILL.
 */

import { type NatsBus, openBus } from '../../bus/nats-bus.ts';
import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { AGED_REST_MS } from '../../contract/limits/aged.ts';
import { openBooks } from '../../messaging/books.ts';
import type { Bucket } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { realClock } from '../../supervision/clock.ts';
import { PassAgeing } from '../../supervision/reconciler/pass-ageing.ts';
import { startScheduleAgeing } from '../../supervision/reconciler/schedule-ageing.ts';
import { quiet } from '../support/nats.ts';

const [url = '', path = '', writes] = process.argv.slice(2);
const clock: Clock = {
  now: () => realClock.now() + 2 * AGED_REST_MS,
  monotonic: () => realClock.monotonic(),
  setTimeout: (fire, ms) => realClock.setTimeout(fire, Math.min(ms, 50)),
  clearTimeout: (timer) => realClock.clearTimeout(timer),
};
const MOVED: readonly string[] = [
  buckets.passes.name,
  buckets.passesOver.name,
  buckets.schedules.name,
  buckets.schedulesOver.name,
];
const WRITES: ReadonlySet<string | symbol> = new Set(['put', 'overwrite', 'remove']);

/** The bus, on which this process dies as soon as so many writes are stored. */
function mortal(real: NatsBus, most: number): NatsBus {
  let left = most;
  const counted = (bucket: Bucket): Bucket =>
    new Proxy(bucket, {
      get: (of, name) => {
        const called: unknown = Reflect.get(of, name);
        if (typeof called !== 'function') return called;
        return (...args: unknown[]) => {
          const done: unknown = called.apply(of, args);
          if (!WRITES.has(name)) return done;
          return (done as Promise<unknown>).then((outcome) => {
            left -= 1;
            if (left === 0) process.kill(process.pid, 'SIGKILL');
            return outcome;
          });
        };
      },
    });
  const bucket = (definition: BucketDefinition): Bucket =>
    MOVED.includes(definition.name) ? counted(real.bucket(definition)) : real.bucket(definition);
  return Object.create(real, { bucket: { value: bucket } }) as NatsBus;
}

const opened = openBus({ url, name: 'mover', credentials: { kind: 'file', path }, log: quiet });
const bus = writes === undefined ? opened : mortal(opened, Number(writes));
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
