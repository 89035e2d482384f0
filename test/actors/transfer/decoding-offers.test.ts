/** How often drivers are asked to decode files, however many wait. */

import { describe, expect, it } from 'vitest';
import { DecodingOffers, type OfferOutcome } from '../../../actors/transfer/decoding.ts';
import { FILE_DECODE_AGAIN_MS } from '../../../contract/limits/transfer.ts';
import { Outage } from '../../../contract/outage.ts';
import type { StoredTransfer } from '../../../contract/transfer.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';

const NO_DRIVER = 'no driver decodes files of the target';
const SECOND = 1_000;

class Asked {
  readonly clock = new ManualClock(1_000_000);
  readonly asked: { at: number; target: string; file: string }[] = [];
  /** Undefined: nobody serves the target. */
  answer: (target: string, file: string) => object | Promise<object> | undefined = () => undefined;
  readonly #aborts: AbortController[] = [];
  readonly results = new Map<string, OfferOutcome | undefined>();
  readonly offers: DecodingOffers;

  constructor(most?: number) {
    const request = async (to: string, data: Uint8Array): Promise<Uint8Array> => {
      const { file_id } = JSON.parse(Buffer.from(data).toString());
      const target = to.split('.').at(-1)!;
      this.asked.push({ at: this.clock.now(), target, file: file_id });
      const answered = this.answer(target, file_id);
      if (answered === undefined) throw new Outage('bus.no-responder', to);
      return Buffer.from(JSON.stringify(await answered));
    };
    const bus = { request } as never;
    this.offers = new DecodingOffers({ bus, clock: this.clock, ...(most !== undefined && { most }) });
  }

  /** A file, as its cell has it offered: what is said is recorded, and it is offered again. */
  file(target: string, file: string): void {
    const abort = new AbortController();
    this.#aborts.push(abort);
    const record = { target, file_id: file, generation: 1, file_type: 1 } as StoredTransfer;
    const follow = async (reason: string | undefined, after: number): Promise<void> => {
      const said = { ...record, ...(reason !== undefined && { reason }) };
      const outcome = await this.offers.offer(said, after, abort.signal);
      this.results.set(`${target} ${file}`, outcome);
      if (outcome?.outcome === 'failed')
        await follow(outcome.reason, this.clock.now() + FILE_DECODE_AGAIN_MS);
    };
    void follow(undefined, 0);
  }

  async end(): Promise<void> {
    for (const abort of this.#aborts) abort.abort();
    await settled();
  }

  outcomes(): Record<string, number> {
    const counted: Record<string, number> = {};
    for (const outcome of this.results.values()) {
      const { outcome: name = 'ended' } = outcome ?? {};
      counted[name] = (counted[name] ?? 0) + 1;
    }
    return counted;
  }
}

describe('files that nobody decodes', () => {
  it('decoding.E2 MC-XFER-035 ask once in 30 s for all files of a target; once somebody serves it they are offered at once', async () => {
    const world = new Asked();
    for (let n = 0; n < 40; n += 1) for (const target of ['sat1', 'sat2', 'sat3']) world.file(target, `${n}`);
    await world.clock.run(600 * SECOND, SECOND);
    for (const target of ['sat1', 'sat2', 'sat3']) {
      const times = world.asked.filter((each) => each.target === target).map(({ at }) => at);
      expect(times.length).toBeGreaterThanOrEqual(20);
      times.slice(1).forEach((at, n) => {
        expect(at - times[n]!).toBeGreaterThanOrEqual(FILE_DECODE_AGAIN_MS);
        expect(at - times[n]!).toBeLessThanOrEqual(FILE_DECODE_AGAIN_MS + SECOND);
      });
    }
    expect(world.outcomes()).toEqual({ failed: 120 });
    expect([...world.results.values()]).toEqual(Array(120).fill({ outcome: 'failed', reason: NO_DRIVER }));
    world.answer = (target) => (target === 'sat2' ? { outcome: 'decoded', samples: 1 } : undefined);
    await world.clock.run(31 * SECOND, SECOND);
    expect(world.outcomes()).toEqual({ decoded: 40, failed: 80 });
    await world.end();
  });

  it('decoding.E1 are offered one after the other, and a driver that hangs holds up its own target only', async () => {
    const world = new Asked();
    let out = 0;
    let most = 0;
    world.answer = async (target, file) => {
      if (target === 'stuck') return new Promise(() => undefined);
      out += 1;
      most = Math.max(most, out);
      await settled();
      out -= 1;
      return file === '3' ? { outcome: 'failed', reason: 'no licence' } : { outcome: 'decoded', samples: 1 };
    };
    for (let n = 0; n < 10; n += 1) for (const target of ['stuck', 'sat1']) world.file(target, `${n}`);
    for (let n = 0; n < 60; n += 1) await settled();
    expect(most).toBe(1);
    expect(world.outcomes()).toEqual({ decoded: 9, failed: 1 });
    expect(world.asked.filter(({ target }) => target === 'stuck').length).toBe(1);
    const before = world.asked.length;
    await world.clock.run(FILE_DECODE_AGAIN_MS, SECOND);
    // One more of the file that failed, 30 s later.
    expect(world.asked.length).toBe(before + 1);
    await world.end();
  });

  it('decoding.E4 beyond a bound those are left that come to a target with more than its share', async () => {
    const world = new Asked(20);
    for (let n = 0; n < 50; n += 1) world.file('many', `${n}`);
    for (let n = 0; n < 3; n += 1) world.file('few', `${n}`);
    await world.clock.run(10 * SECOND, SECOND);
    const left = [...world.results].filter(([, outcome]) => outcome?.outcome === 'left');
    expect(left.map(([name]) => name).every((name) => name.startsWith('many '))).toBe(true);
    expect(left.length).toBe(53 - 20);
    expect(world.offers.room('many')).toBe(0);
    expect(left[0]![1]).toEqual({
      outcome: 'left',
      reason: `${NO_DRIVER}, and 20 files wait already: it is offered when there is room`,
    });
    world.answer = () => ({ outcome: 'decoded', samples: 1 });
    await world.clock.run(31 * SECOND, SECOND);
    expect(world.outcomes()).toEqual({ decoded: 20, left: 33 });
    expect(world.offers.room('many')).toBe(20);
    expect(world.offers.room('unknown')).toBe(1);
  });
});
