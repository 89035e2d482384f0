/** Comparing off the event loop. */

import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { Measurer } from '../../../../actors/sdr/datapath/measure.ts';
import { measure } from '../../../../radio/measure/measure.ts';
import { prbs } from '../../../../radio/prbs.ts';

const measurer = new Measurer();
afterEach(async () => measurer.stop());

const BLOCK = 4096;

/** Processor time of the thread of the event loop, ms: nothing of other threads, nor of what else the machine does. */
function loopMs(): number {
  const [ranNs] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(ranNs) / 1_000_000;
}

describe('a measurement', () => {
  it('RB-DP-018 of a long payload is made on a thread, as it would be here', async () => {
    const payload = prbs(23, 200 * BLOCK);
    const captured = payload.slice(100 * BLOCK + 8, 120 * BLOCK + 8);
    const { measurement } = await measurer.measure(payload, captured, 8);
    expect(measurement).toMatchObject({ verdict: 'BytePerfect', warmup: 8, capture_bytes: 20 * BLOCK });
    expect(measurement.blocks[0]).toMatchObject({ rotation: 100 * BLOCK + 8 });
  });

  it('datapath/measure.T1 holds the event loop up for no more than a moment', async () => {
    const payload = prbs(23, 32 * BLOCK);
    const noise = prbs(9, 16 * BLOCK, 77).map((byte) => byte ^ 0x3c);
    await measurer.measure(payload, noise, 0);
    const before = loopMs();
    const { measurement } = await measurer.measure(payload, noise, 0);
    const heldMs = loopMs() - before;
    expect(measurement.verdict).toBe('NoCorrelation');
    const began = loopMs();
    measure(payload, noise, { warmup: 0, exhaustive: true });
    // Made here, it would be as long as that.
    expect(heldMs).toBeLessThan((loopMs() - began) / 3);
  });

  it('datapath/measure.T2 goes on with another thread when one was stopped', async () => {
    const payload = prbs(23, 20 * BLOCK);
    await measurer.measure(payload, payload, 0);
    await measurer.stop();
    expect((await measurer.measure(payload, payload, 0)).measurement.verdict).toBe('BytePerfect');
  });

  it('is refused by the thread as a defect where it is one', async () => {
    const payload = prbs(23, 64 * BLOCK);
    await expect(measurer.measure(payload, new Uint8Array(40 * BLOCK + 1), 0)).rejects.toThrow('M1');
  });
});
