/**
 * Ceilings of schedules: conditional writes of as many records; and timers that write a record and publish a submission
 * when they are over, as a service without anything around them would.
 */

import { type BareBus, connectBare } from '../bare-bus.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';

let bus: BareBus;
let fired = 0;
const revisions = new Map<string, number>();
const BODY = 'x'.repeat(800);

async function start(address: BusAddress): Promise<void> {
  bus = await connectBare(address);
}

/** Writes each body over its last revision, and one more, as of the pass that moved; the ms it took. */
async function write(bodies: Readonly<Record<string, string>>): Promise<number> {
  const begin = performance.now();
  await writeOne('pass', BODY);
  await Promise.all(Object.entries(bodies).map(([key, body]) => writeOne(key, body)));
  return performance.now() - begin;
}

async function writeOne(key: string, body: string): Promise<void> {
  const expect = { lastSubjectSequence: revisions.get(key) ?? 0 };
  const { seq } = await bus.jetstream.publish(`bench.schedule.${key}`, Buffer.from(body), { expect });
  revisions.set(key, seq);
}

/** How late each submission was stored, ms. */
async function fire({
  at,
  everyMs,
  count,
}: {
  at: number;
  everyMs: number;
  count: number;
}): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const due = at + n * everyMs;
      await new Promise((resolve) => setTimeout(resolve, due - Date.now()));
      fired += 1;
      await writeOne(`due-${n}`, BODY);
      await bus.jetstream.publish('bench.submit', Buffer.from(BODY.slice(0, 200)), { msgID: `due-${fired}` });
      return Date.now() - due;
    }),
  );
}

answerCalls({ start, write, fire });
