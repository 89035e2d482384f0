/** Ceiling of passes: conditional writes of as many entries, and nothing else, by the same client, all at once. */

import { type BareBus, connectBare } from '../bare-bus.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';

let bus: BareBus;
const revisions = new Map<string, number>();

async function start(address: BusAddress): Promise<void> {
  bus = await connectBare(address);
}

/** Writes each body over its last revision; the ms it took. */
async function write(bodies: Readonly<Record<string, string>>): Promise<number> {
  const begin = performance.now();
  await Promise.all(Object.entries(bodies).map(([key, body]) => writeOne(key, body)));
  return performance.now() - begin;
}

async function writeOne(key: string, body: string): Promise<void> {
  const expect = { lastSubjectSequence: revisions.get(key) ?? 0 };
  const { seq } = await bus.jetstream.publish(`bench.pass.${key}`, Buffer.from(body), { expect });
  revisions.set(key, seq);
}

answerCalls({ start, write });
