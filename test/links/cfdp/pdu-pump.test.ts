/** How PDUs leave: at the rate of the link, a part at a time. */

import { expect, it } from 'vitest';
import { CFDP_AHEAD_MS, CFDP_BATCH_BYTES, CFDP_BATCH_PDUS } from '../../../contract/limits/cfdp.ts';
import { PduPump, type PdusSent, type PumpedLink } from '../../../links/cfdp/pdu-pump.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';

const PDU = 1_000;

interface Sent {
  readonly at: number;
  readonly target: string;
  readonly frames: number;
}

function worldOf(rates: Readonly<Record<string, number>>, answerMs = 2, bytes = PDU) {
  const clock = new ManualClock(0);
  const sent: Sent[] = [];
  const state = { refused: undefined as string | undefined, left: Number.POSITIVE_INFINITY };
  const pump = new PduPump({
    monotonic: () => clock.monotonic(),
    send: (target, frames) =>
      new Promise<PdusSent>((resolve) => {
        sent.push({ at: clock.now(), target, frames: frames.length });
        const { refused } = state;
        const result = refused === undefined ? { frames: frames.length } : { frames: 0, refused };
        clock.setTimeout(() => resolve(result), answerMs);
      }),
    changed: () => undefined,
    failed: (error) => {
      throw error;
    },
  });
  const links = Object.entries(rates).map(([target, rate]): PumpedLink => {
    const pull = (): Buffer | undefined => {
      state.left -= 1;
      return state.left < 0 ? undefined : Buffer.alloc(bytes);
    };
    return { target, rate, pull };
  });
  const run = async (ms: number): Promise<void> => {
    for (let n = 0; n < ms; n += 1) {
      pump.pump(links);
      clock.advance(1);
      await settled();
    }
  };
  return { clock, sent, state, pump, run };
}

it('air-time.A1 over any time no more leaves than the rate, and what it may be ahead', async () => {
  const rate = 1_000_000;
  const { sent, run } = worldOf({ sat: rate });
  await run(2_000);
  const whole = sent.reduce((sum, { frames }) => sum + frames, 0);
  expect(whole * PDU * 8).toBeGreaterThan(rate * 2 * 0.97);
  for (const first of sent) {
    for (const last of sent.filter(({ at }) => at >= first.at)) {
      const between = sent.filter(({ at }) => at >= first.at && at <= last.at);
      const bits = between.reduce((sum, { frames }) => sum + frames, 0) * PDU * 8;
      expect(bits).toBeLessThanOrEqual(((last.at - first.at + CFDP_AHEAD_MS) * rate) / 1_000 + PDU * 8);
    }
  }
});

it('air-time.A2 where there is much it goes in parts, and one PDU alone goes at once', async () => {
  const { sent, state, run } = worldOf({ sat: 8_000_000 });
  await run(1_000);
  expect(sent.length).toBeLessThan(60);
  state.left = 0;
  await run(500);
  const before = sent.length;
  state.left = 1;
  await run(2);
  expect(sent.slice(before)).toMatchObject([{ frames: 1 }]);
});

it('pdu-pump.P1 one part is under way, of a bounded size, however long the gateway takes', async () => {
  const { sent, run } = worldOf({ sat: 1e12 }, 300, 2_000);
  await run(1_000);
  expect(sent.length).toBe(4);
  expect(Math.max(...sent.map(({ frames }) => frames))).toBeLessThanOrEqual(
    Math.min(CFDP_BATCH_PDUS, Math.ceil(CFDP_BATCH_BYTES / 2_000)),
  );
});

it('pdu-pump.P2 links take turns', async () => {
  const { sent, run } = worldOf({ one: 1_000_000, other: 1_000_000 });
  await run(1_000);
  const of = (name: string): number => sent.filter(({ target }) => target === name).length;
  expect(Math.abs(of('one') - of('other'))).toBeLessThanOrEqual(1);
});

it('pdu-pump.P3 behind refusals it pauses, longer each time, and begins again at once when one is taken', async () => {
  const { sent, state, pump, run } = worldOf({ sat: 1_000_000 });
  state.refused = 'no';
  await run(10_000);
  expect(pump.refused).toBe('no');
  expect(sent.length).toBeLessThan(10);
  state.refused = undefined;
  await run(4_000);
  expect(pump.refused).toBeUndefined();
  expect(sent.length).toBeGreaterThan(50);
});
