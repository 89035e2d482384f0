/**
 * Files that are written again on board while they come down by CFDP, at the same size and listed without a checksum:
 * the real manager, the files of a driver, its chunks on the bus, and an entity on board.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { subject } from '../../../contract/bus/subjects.ts';
import type { CfdpCall } from '../../../contract/cfdp.ts';
import { accepted } from '../../../contract/result.ts';
import { ChunkStore } from '../../../links/cfdp/chunk-store.ts';
import { CfdpFiles } from '../../../links/driver/cfdp-files.ts';
import { OnboardEntity } from '../../support/onboard-entity.ts';
import { keptLog } from '../../support/silent-log.ts';
import { CFDP_MISSION } from '../run/effects/effect-world.ts';
import { counted } from './lives.ts';
import { seededBytes, TransferWorld } from './world.ts';

/** More of them: MCS_TRANSFER_LIVES=200. */
const RUNS = Number(process.env['MCS_TRANSFER_LIVES'] ?? 6);
const SIZE = 40_000;
const STEP_MS = 100;

/** A driver and a spacecraft, with so many PDUs down in each step. */
class Flight {
  readonly world: TransferWorld;
  readonly spacecraft: OnboardEntity;
  /** Everything that file 7 has ever been. */
  readonly writings: Buffer[] = [];
  readonly #pdus: number;
  #lives = 0;
  #store: ChunkStore;
  #ground: CfdpFiles;

  constructor(world: TransferWorld, pdus = 1) {
    this.world = world;
    this.#pdus = pdus;
    this.rewrite();
    this.spacecraft = new OnboardEntity({
      settings: { local: 42n, pduBytes: 512 },
      peer: 1n,
      now: () => world.now,
      content: (name) => (name === '7' ? this.content : undefined),
    });
    [this.#store, this.#ground] = this.#newDriver();
    world.outside.serve(subject.driverVerb('pus', 'cfdp'), async ({ data }) => {
      const call = JSON.parse(Buffer.from(data).toString()) as CfdpCall;
      return Buffer.from(JSON.stringify(accepted(this.#ground.answer(call, world.now))));
    });
    this.#step();
  }

  get content(): Buffer {
    return this.writings.at(-1)!;
  }

  rewrite(): void {
    this.writings.push(seededBytes(SIZE, this.writings.length + 1));
  }

  /** Another process has the files of the gateway; what the one before had is on its way to the bus. */
  newDriver(): void {
    [this.#store, this.#ground] = this.#newDriver();
  }

  #newDriver(): [ChunkStore, CfdpFiles] {
    const { world } = this;
    this.#lives += 1;
    const life = `life${this.#lives}`;
    const store = new ChunkStore({
      bus: world.outside,
      clock: world.clock,
      log: keptLog(),
      life,
      holds: () => true,
    });
    const files = new CfdpFiles(
      {
        settings: { local: 1n, pduBytes: 512 },
        peer: 42n,
        wallMs: world.now,
        newTransaction: () => store.newTransaction(),

        chunk: (chunk) => store.push({ target: 'sat1', revision: CFDP_MISSION.revision }, chunk),
        isStored: ({ file_id, generation }) => store.isStored('sat1', file_id, generation),
      },
      world.now,
    );
    return [store, files];
  }

  #step(): void {
    const { world, spacecraft } = this;
    this.#ground.tick(world.now);
    for (let up = this.#ground.pull(world.now); up !== undefined; up = this.#ground.pull(world.now))
      spacecraft.receive(Buffer.from(up));
    for (const pdu of spacecraft.take(this.#pdus)) this.#ground.receive(pdu, world.now);
    world.clock.setTimeout(() => this.#step(), STEP_MS);
  }
}

async function flown(): Promise<{ world: TransferWorld; flight: Flight }> {
  const world = await TransferWorld.start(CFDP_MISSION);
  const flight = new Flight(world);
  await world.say({ file: '7', size: SIZE, generation: 1, file_type: 9 });
  await world.download('7');
  return { world, flight };
}

/** Until so many bytes are recorded. */
async function untilReceived(world: TransferWorld, bytes: number): Promise<void> {
  const received = (): number =>
    (world.stored('sat1.7.1')?.received ?? []).reduce((sum, [start, end]) => sum + end - start, 0);
  for (const end = world.now + 600_000; world.now < end && received() < bytes; ) await world.run(250);
  expect(received()).toBeGreaterThanOrEqual(bytes);
}

describe('a file that is written again on board at the same size while it comes down', () => {
  it('MC-GEN-022 F-19 is not joined of two transactions: what the earlier one brought is dropped', async () => {
    const { world, flight } = await flown();
    const manager = await world.manager('one');
    await untilReceived(world, SIZE / 2);
    flight.rewrite();
    flight.newDriver();
    const stored = await world.until('sat1.7.1', 'VERIFIED');
    expect(stored.reason).toBe('no checksum to verify');
    expect((await world.content(stored))?.equals(flight.content)).toBe(true);
    await world.run(10_000);
    expect(world.objects()).toEqual(['sat1/7/1']);
    expect(manager.failures).toEqual([]);
  });

  it('MC-GEN-022 nor by the next leader, who reads the chunks of both again', async () => {
    const { world, flight } = await flown();
    const one = await world.manager('one');
    await untilReceived(world, SIZE / 2);
    flight.rewrite();
    flight.newDriver();
    await world.run(9_000);
    one.kill();
    await world.manager('two');
    const stored = await world.until('sat1.7.1', 'VERIFIED');
    expect((await world.content(stored))?.equals(flight.content)).toBe(true);
  });

  it('transfer/record.B5 leaves no part of the earlier one behind, also where its leader dies before it has removed them', async () => {
    const { world, flight } = await flown();
    let isSwitched = false;
    await world.manager('one', (bus, kill) =>
      counted(() => {
        // The first write behind the record that names another transaction.
        isSwitched ||= world.stored('sat1.7.1')?.actor.transaction?.earlier.length === 1;
        if (isSwitched) kill();
      })(bus),
    );
    await untilReceived(world, SIZE / 2);
    flight.rewrite();
    flight.newDriver();
    for (const end = world.now + 120_000; world.now < end && !isSwitched; ) await world.run(250);
    expect(isSwitched).toBe(true);
    const [earlier] = world.stored('sat1.7.1')!.actor.transaction!.earlier;
    expect(world.objects().some((name) => name.endsWith(`/${earlier}`))).toBe(true);
    await world.run(30_000);
    await world.manager('two');
    await world.until('sat1.7.1', 'VERIFIED');
    for (const end = world.now + 60_000; world.now < end && world.open().length > 0; ) await world.run(250);
    expect(world.objects()).toEqual(['sat1/7/1']);
  });

  it('MC-GEN-022 whatever dies when, and however often it is written: what is VERIFIED is one writing', async () => {
    const moment = fc.record({
      ms: fc.integer({ min: 500, max: 15_000 }),
      what: fc.constantFrom('rewrite', 'driver', 'rewrite and driver'),
      writes: fc.option(fc.integer({ min: 1, max: 40 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(moment, { minLength: 1, maxLength: 6 }), async (moments) => {
        const { world, flight } = await flown();
        for (const [n, { ms, what, writes }] of moments.entries()) {
          let left = writes ?? Number.POSITIVE_INFINITY;
          let isDead = false;
          const process = await world.manager(`life${n}`, (bus, kill) =>
            counted(() => {
              left -= 1;
              if (isDead || left > 0) return;
              isDead = true;
              kill();
            })(bus),
          );
          for (let at = 0; at < ms && !isDead; at += 250) await world.run(250);
          if (what.includes('rewrite')) flight.rewrite();
          if (what.includes('driver')) flight.newDriver();
          for (let at = 0; at < ms && !isDead; at += 250) await world.run(250);
          process.kill();
          await world.run(20);
        }
        await world.manager('last');
        const stored = await world.until('sat1.7.1', 'VERIFIED', 20 * 60_000);
        const content = await world.content(stored);
        expect(flight.writings.some((writing) => content?.equals(writing))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});
