/**
 * `npm run bus-memory -- [--messages N]`: what nats-server keeps in memory, found by leaving one thing out after the
 * other: subjects, message ids, keys of a bucket, and the blocks of a stream that somebody reads. What its collector
 * leaves is counted, each on a server of its own. With `--telecommands N` instead: what so many telecommands leave in
 * the streams of the contract, as a whole and at a tenth of it.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { optionsOf } from '../../tools/command-line.ts';
import { type BareBus, connectBare } from '../bare-bus.ts';
import { type Ground, startGround } from '../ground.ts';
import { inBulk } from './fill.ts';
import { lookAtBus } from './look.ts';
import { numbers } from './numbers.ts';

interface Kind {
  readonly name: string;
  readonly subject: (n: number) => string;
  /** Of the ids of a telecommand: one for each message. */
  readonly ids: boolean;
  readonly perSubject?: number;
}

const DAY_NS = 86_400_000_000_000;
const STREAM = 'MEMORY';
/** A server forgets the blocks that it read by then. */
const FORGOTTEN_MS = 60_000;
const BODY = Buffer.alloc(220, 'x');
const LARGE_BODY = Buffer.alloc(1_000, 'x');
/** Fewer than this many reads meet every block of the stream. */
const READS = 60;

const id = (n: number): string => `01J0000000000000000${String(n).padStart(7, '0')}`;
const KINDS: readonly Kind[] = [
  { name: 'one subject, no ids', subject: () => 'memory.s', ids: false },
  { name: 'one subject, ids of a day', subject: () => 'memory.s', ids: true },
  { name: '10,000 subjects, no ids', subject: (n) => `memory.${n % 10_000}`, ids: false },
  { name: 'a subject each, no ids', subject: (n) => `memory.${id(n)}`, ids: false },
  { name: 'a key each', subject: (n) => `memory.${id(n)}`, ids: false, perSubject: 1 },
];

async function onBareBus<Value>(work: (bus: BareBus, ground: Ground) => Promise<Value>): Promise<Value> {
  const ground = await startGround({ monitored: true });
  const bus = await connectBare(ground.address);
  try {
    return await work(bus, ground);
  } finally {
    await bus.connection.close();
    await ground.end();
  }
}

async function makeStream({ manager }: BareBus, perSubject = -1): Promise<void> {
  const settings = { max_msgs_per_subject: perSubject, duplicate_window: DAY_NS, max_age: 30 * DAY_NS };
  await manager.streams.add({ name: STREAM, subjects: ['memory.>'], ...settings });
}

function kept({ name, subject, ids, perSubject }: Kind, count: number): Promise<string> {
  return onBareBus(async (bus, ground) => {
    await makeStream(bus, perSubject);
    const { heapMb: before } = await lookAtBus(ground);
    await inBulk(count, (n) => bus.jetstream.publish(subject(n), BODY, ids ? { msgID: id(n) } : {}));
    await pause(FORGOTTEN_MS);
    const { heapMb, rssMb } = await lookAtBus(ground);
    const each = ((heapMb - before) * 1e6) / count;
    return `| ${name} | ${each.toFixed(0)} bytes each | ${rssMb.toFixed(0)} MB resident |`;
  });
}

function read(count: number): Promise<string> {
  return onBareBus(async (bus, ground) => {
    await makeStream(bus);
    await inBulk(count, (n) => bus.jetstream.publish(`memory.${n}`, LARGE_BODY));
    await pause(FORGOTTEN_MS);
    const before = await lookAtBus(ground);
    for (let n = 0; n < count; n += Math.ceil(count / READS))
      await bus.manager.streams.getMessage(STREAM, { last_by_subj: `memory.${n}` });
    const reading = await lookAtBus(ground);
    await pause(FORGOTTEN_MS);
    const after = await lookAtBus(ground);
    const stored = (before.bytes / 1e6).toFixed(0);
    return (
      `| ${READS} messages read out of ${stored} MB | ${before.heapMb.toFixed(0)} MB in use, then ${reading.heapMb.toFixed(0)}, ` +
      `${FORGOTTEN_MS / 1_000} s later ${after.heapMb.toFixed(0)} | ${reading.rssMb.toFixed(0)} MB resident, then ${after.rssMb.toFixed(0)} |`
    );
  });
}

/** PENDING, ENCODED, SENT, VERIFIED. */
const EVENTS = 4;
const TARGETS = 50;

function telecommands(count: number): Promise<void> {
  return onBareBus(async ({ jetstream }, ground) => {
    const one = async (n: number): Promise<void> => {
      const target = `sat${n % TARGETS}`;
      await jetstream.publish(`mcs.tc.submit.${target}`, BODY, { msgID: id(n) });
      for (let event = 0; event < EVENTS; event += 1) {
        // Their ids are remembered for ten minutes, which at no rate is much beside a day of these.
        await jetstream.publish(`mcs.tc.evt.${target}.${id(n)}`, BODY);
        await jetstream.publish(`mcs.event.${target}`, BODY);
      }
    };
    const tenth = Math.ceil(count / 10);
    for (const [from, to] of [
      [0, tenth],
      [tenth, count],
    ] as const) {
      await inBulk(to - from, (n) => one(from + n));
      const { rssMb: busy } = await lookAtBus(ground);
      await pause(FORGOTTEN_MS);
      const { heapMb, rssMb, bytes } = await lookAtBus(ground);
      console.log(
        `| ${to} telecommands, ${(bytes / 1e6).toFixed(0)} MB stored | ${heapMb.toFixed(0)} MB in use, ` +
          `${((heapMb * 1e6) / to).toFixed(0)} bytes each | ${rssMb.toFixed(0)} MB resident, ${busy.toFixed(0)} before |`,
      );
    }
  });
}

const values = optionsOf(import.meta.url, {
  messages: { type: 'string', default: '200000' },
  telecommands: { type: 'string', default: '0' },
});
const { messages, telecommands: count } = numbers(values, ['messages', 'telecommands']);
if (count > 0) await telecommands(count);
else {
  for (const kind of KINDS) console.log(await kept(kind, messages));
  console.log(await read(messages));
}
