/**
 * Cells of the runtime beside bare XState actors of the same chart, in one process: what a live one takes of memory,
 * and how many are activated in a second (restored, sent one event, written, stopped). The store answers at once.
 *
 * E1. Memory is that of the whole process after a collection; entities of both kinds are held in a map by id.
 */

import { type AnyActor, createActor } from 'xstate';
import { createTelecommandBinding } from '../../actors/telecommand/binding.ts';
import { type TelecommandInput, telecommandMachine } from '../../machines/telecommand/telecommand.ts';
import { HandOvers } from '../../messaging/hand-overs.ts';
import type { Commit, Stored } from '../../ports/entity.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { Kind } from '../../supervision/cells/kind.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { orderChart } from '../order-chart.ts';
import { answerCalls, ownCpuUs } from '../peer-side.ts';
import { silentLog } from '../silent-log.ts';
import { StubBus } from '../stub-bus.ts';

interface Memory {
  readonly heapBytes: number;
  readonly rssBytes: number;
}

interface Done {
  readonly ms: number;
  readonly cpuUs: number;
}

const START_MS = Date.UTC(2026, 0, 1);
const IDLE_MS = 1_000;

function memory(): Memory {
  (globalThis as unknown as { gc(): void }).gc();
  (globalThis as unknown as { gc(): void }).gc();
  const { heapUsed, rss, external } = process.memoryUsage();
  return { heapBytes: heapUsed + external, rssBytes: rss };
}

const held: unknown[] = [];

/** Live cells of telecommands that wait for their verification; what they take. */
async function liveCells({ count }: { count: number }): Promise<Memory> {
  const before = memory();
  const kind = telecommandKind();
  for (let n = 0; n < count; n += 1) kind.start(`sat1.${n}`, inputOf(n), 1);
  await settled();
  held.push(kind);
  return grown(before);
}

async function liveActors({ count }: { count: number }): Promise<Memory> {
  const before = memory();
  const actors = new Map<string, AnyActor>();
  const clock = new HeapClock(START_MS);
  for (let n = 0; n < count; n += 1) {
    const actor = createActor(telecommandMachine, { input: inputOf(n), clock: clock as never });
    actor.start();
    for (const event of chain()) actor.send(event as never);
    actors.set(`sat1.${n}`, actor);
  }
  held.push(actors);
  return grown(before);
}

function grown(before: Memory): Memory {
  const after = memory();
  return { heapBytes: after.heapBytes - before.heapBytes, rssBytes: after.rssBytes - before.rssBytes };
}

function inputOf(n: number): TelecommandInput {
  return {
    id: `${n}`.padStart(26, '0'),
    target: 'sat1',
    component: 'obc',
    telecommand: 'set_mode',
    changesState: true,
    verifyWithinMs: 20_000,
    at: START_MS,
  };
}

function chain(): object[] {
  return [
    { type: 'requires.satisfied', at: START_MS },
    { type: 'driver.encoded', at: START_MS, frame: '1873c00000072f080100000700ab', reference: '1873c000' },
    { type: 'gateway.sent', at: START_MS },
  ];
}

/** The binding of the service with effects that answer as driver and gateway would; the verification never does. */
function telecommandKind(): Kind {
  const clock = new HeapClock(START_MS);
  const [satisfied, encoded, sent] = chain();
  const binding = createTelecommandBinding({
    bus: new StubBus(),
    clock,
    handOvers: new HandOvers(clock),
    store: {
      load: async () => undefined,
      commit: async ({ position }) => ({ outcome: 'committed', position: position + 1 }),
    },
    servicesOf: () => undefined,
    isOwned: () => true,
  });
  const answering = {
    ...binding,
    effects: {
      'effect.check': async () => satisfied,
      'effect.encode': async () => encoded,
      'effect.send': async () => sent,
      'effect.verify': () => new Promise(() => undefined),
      'effect.release': () => undefined,
    },
  };
  return new Kind({
    binding: answering as never,
    clock,
    random: seededRandom(1),
    log: silentLog,
    deadLetters: { add: () => undefined } as never,
    onEscalated: (reason) => {
      throw new Error(reason);
    },
  });
}

// Activations ---------------------------------------------------------------------------------------------------------

const records = new Map<string, Stored>();

/** Makes `count` records of idle entities. */
async function prepare({ count }: { count: number }): Promise<void> {
  const kind = orderKind(new HeapClock(START_MS));
  for (let n = 0; n < count; n += 1) kind.start(`order${n}`, { item: `item ${n}` }, 1);
  await settled();
  await kind.drain();
}

/** Sends each entity one event: it is restored, takes it, is written and, being idle, stopped. */
async function activateCells({ count }: { count: number }): Promise<Done> {
  const clock = new HeapClock(START_MS);
  const kind = orderKind(clock);
  return timed(async () => {
    for (let n = 0; n < count; n += 1) kind.tell(`order${n}`, { type: 'order.note' });
    await settled();
    clock.advance(2 * IDLE_MS);
    if (kind.live > 0) throw new Error(`${kind.live} cells are still live`);
  });
}

function activateActors({ count }: { count: number }): Promise<Done> {
  return timed(async () => {
    for (let n = 0; n < count; n += 1) {
      const snapshot = records.get(`order${n}`)!.envelope.snapshot as never;
      const actor = createActor(orderChart, { snapshot, input: undefined as never });
      actor.start();
      actor.send({ type: 'order.note' });
      actor.getPersistedSnapshot();
      actor.stop();
    }
  });
}

function orderKind(clock: HeapClock): Kind {
  const commit = async ({ id, position, envelope }: Commit) => {
    records.set(id, { envelope: envelope(), position: position + 1 });
    return { outcome: 'committed', position: position + 1 } as const;
  };
  return new Kind({
    binding: {
      kind: 'order',
      version: 1,
      chart: orderChart,
      store: { load: async (id) => records.get(id), commit },
      durability: 'snapshot',
      effects: {},
      restart: 'transient',
      idleMs: IDLE_MS,
      migrations: {},
    },
    clock,
    random: seededRandom(1),
    log: silentLog,
    deadLetters: { add: () => undefined } as never,
    onEscalated: (reason) => {
      throw new Error(reason);
    },
  });
}

async function timed(work: () => Promise<void>): Promise<Done> {
  const [start, cpu] = [performance.now(), ownCpuUs()];
  await work();
  return { ms: performance.now() - start, cpuUs: ownCpuUs() - cpu };
}

/** Every promise that can settle without input has. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

answerCalls({ liveCells, liveActors, prepare, activateCells, activateActors });
