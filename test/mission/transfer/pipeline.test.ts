import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteRanges } from '../../../contract/byte-ranges.ts';
import { type Asked, bytesUnder, Pipeline, type Waiting } from '../../../mission/transfer/pipeline.ts';

const LIMITS = { rate: 64_000, maxChunk: 1_000 };
const waiting = (key: string, size = 100_000, more: Partial<Waiting> = {}): Waiting => ({
  key,
  priority: 0,
  createdAt: 0,
  size,
  received: new ByteRanges(),
  ...more,
});

/** Asks everything that may be asked now. */
function turn(
  pipeline: Pipeline,
  all: readonly Waiting[],
  now: number,
  limits = LIMITS,
): (Asked & { id: string })[] {
  const made: (Asked & { id: string })[] = [];
  for (const asked of pipeline.next(all, limits, now)) {
    const id = `${now}-${made.length}`;
    pipeline.asked(id, asked, now);
    made.push({ ...asked, id });
  }
  return made;
}

describe('the requests of a target', () => {
  it('MC-XFER-038 MC-XFER-040 MC-LIM-016 are as long as a chunk, and stay under two seconds of rate', () => {
    const pipeline = new Pipeline();
    const made = turn(pipeline, [waiting('a')], 0);
    expect(made.every(({ start, end }) => end - start <= 1_000)).toBe(true);
    expect(pipeline.underWay).toBe(15_000);
    expect(turn(pipeline, [waiting('a')], 250)).toEqual([]);
  });

  it('pipeline.P4 are parts of a pipeline that is shorter than a chunk', () => {
    const pipeline = new Pipeline();
    const made = turn(pipeline, [waiting('a')], 0, { rate: 9_600, maxChunk: 65_535 });
    expect(made.map(({ end, start }) => end - start)).toEqual([599, 599, 599, 599]);
    expect(bytesUnder(9_600)).toBe(2_399);
    expect(turn(new Pipeline(), [waiting('a')], 0, { rate: 1, maxChunk: 200 })).toHaveLength(1);
  });

  it('MC-XFER-039 go by priority, then by age', () => {
    const pipeline = new Pipeline();
    const all = [
      waiting('young', 3_000, { createdAt: 9 }),
      waiting('old', 3_000, { createdAt: 1 }),
      waiting('urgent', 3_000, { createdAt: 20, priority: 1 }),
      waiting('later', 3_000, { priority: -1 }),
    ];
    const order = turn(pipeline, all, 0).map(({ key }) => key);
    expect([...new Set(order)]).toEqual(['urgent', 'old', 'young', 'later']);
  });

  it('MC-XFER-041 are made again when their chunk has not come 15 s after they were sent', () => {
    const pipeline = new Pipeline();
    const all = [waiting('a', 500)];
    const [first] = turn(pipeline, all, 0);
    pipeline.sent(first!.id, 4_000);
    pipeline.ended(first!.id, 5_000);
    expect(turn(pipeline, all, 18_999)).toEqual([]);
    expect(turn(pipeline, all, 19_000)).toMatchObject([{ start: 0, end: 500 }]);
  });

  it('MC-XFER-042 are forgotten after 60 s without an end', () => {
    const pipeline = new Pipeline();
    const all = [waiting('a', 500)];
    turn(pipeline, all, 0);
    expect(turn(pipeline, all, 59_999)).toEqual([]);
    expect(turn(pipeline, all, 60_000)).toHaveLength(1);
  });

  it('MC-XFER-043 pipeline.P5 are made again when they failed, later each time', () => {
    const pipeline = new Pipeline();
    const all = [waiting('a', 500)];
    const waits: number[] = [];
    let now = 0;
    for (let round = 0; round < 9; round += 1) {
      const [made] = turn(pipeline, all, now);
      pipeline.failed(made!.id, now);
      const from = now;
      while (turn(new Pipeline(), [], now).length === 0 && [...pipeline.next(all, LIMITS, now)].length === 0)
        now += 250;
      waits.push(now - from);
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
    pipeline.received('a', 0, 1, now);
    const [made] = turn(pipeline, all, now);
    pipeline.failed(made!.id, now);
    expect(turn(pipeline, all, now + 250)).toHaveLength(1);
  });

  it('MC-XFER-043 pipeline.P5 that were made together and fail one after the other count as one failure', () => {
    const pipeline = new Pipeline();
    const all = [waiting('a')];
    const made = turn(pipeline, all, 0);
    expect(made.length).toBeGreaterThan(10);
    for (const [n, { id }] of made.entries()) pipeline.failed(id, 10 + n);
    expect(turn(pipeline, all, 10 + 249)).toEqual([]);
    const [next] = turn(pipeline, all, 10 + 250);
    pipeline.failed(next!.id, 300);
    expect(turn(pipeline, all, 300 + 499)).toEqual([]);
    expect(turn(pipeline, all, 300 + 500)).toHaveLength(1);
  });

  it('MC-XFER-042 pipeline.P7 are as many as leave before they are forgotten, where they leave slower than the link is said to be', () => {
    // The link is declared so fast that 133 requests fit into the pipeline; one leaves in a second.
    const limits = { rate: 16_000_000, maxChunk: 30_000 };
    const pipeline = new Pipeline('end');
    const file = waiting('a', 20_000_000);
    const queue: (Asked & { id: string })[] = [];
    const sent: string[] = [];
    let longest = 0;
    for (let now = 0; now < 1_200_000 && !file.received.covers(0, file.size); now += 250) {
      queue.push(...turn(pipeline, [file], now, limits));
      expect(pipeline.underWay).toBeLessThan(4_000_000);
      if (now % 1_000 !== 750) continue;
      const first = queue.shift();
      if (first === undefined) continue;
      sent.push(`${first.start}`);
      pipeline.ended(first.id, now);
      // Written is written, also what was forgotten.
      file.received.add(first.start, first.end);
      pipeline.received('a', first.start, first.end, now);
      if (now > 300_000) longest = Math.max(longest, queue.length);
    }
    expect(file.received.covers(0, file.size)).toBe(true);
    // The first pipeline is too long for it, and some of that is asked for twice; from then on nothing is.
    expect(sent.length - new Set(sent).size).toBeLessThan(133);
    expect(longest).toBeLessThan(60);
  });

  it('MC-UPL-009 pipeline.P6 what is written awaits its end, not a chunk', () => {
    const pipeline = new Pipeline('end');
    const all = [waiting('a', 500)];
    const [made] = turn(pipeline, all, 0);
    pipeline.sent(made!.id, 0);
    expect(turn(pipeline, all, 30_000)).toEqual([]);
    pipeline.ended(made!.id, 30_000);
    expect(pipeline.underWay).toBe(0);
  });

  it('MC-LIM-016 MC-XFER-040 MC-XFER-041 MC-XFER-042 MC-XFER-043 whatever happens: never above the pipeline, no byte asked twice without cause, everything in the end', () => {
    const step = fc.record({
      what: fc.constantFrom('tick', 'sent', 'ended', 'failed', 'chunk', 'doubled', 'lost'),
      ms: fc.nat(9_000),
      which: fc.nat(20),
      rate: fc.constantFrom(960, 6_400, 100_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const pipeline = new Pipeline();
        const files = [waiting('a', 701), waiting('b', 1_234, { priority: 2 })];
        /** When each byte may be asked again at the earliest. */
        const blocked = new Map<string, number>();
        const open: (Asked & { id: string; at: number })[] = [];
        const left = new Set<string>();
        let now = 0;
        const block = ({ key, start, end }: Asked, until: number): void => {
          for (let at = start; at < end; at += 1) blocked.set(`${key} ${at}`, until);
        };
        const ask = (rate: number): void => {
          for (const asked of turn(pipeline, files, now, { rate, maxChunk: 90 })) {
            const file = files.find(({ key }) => key === asked.key)!;
            for (let at = asked.start; at < asked.end; at += 1) {
              expect(blocked.get(`${asked.key} ${at}`) ?? 0).toBeLessThanOrEqual(now);
              expect(file.received.covers(at, at + 1)).toBe(false);
            }
            block(asked, now + 60_000);
            open.push({ ...asked, at: now });
            expect(pipeline.underWay).toBeLessThan((rate * 2) / 8);
          }
        };
        const take = ({ key, start, end }: Asked): void => {
          files.find((file) => file.key === key)!.received.add(start, end);
          pipeline.received(key, start, end, now);
        };
        for (const { what, ms, which, rate } of steps) {
          now += ms;
          const request = open[which % Math.max(1, open.length)];
          const isKnown = request !== undefined && pipeline.request(request.id) !== undefined;
          if (what === 'tick') ask(rate);
          else if (request === undefined) continue;
          else if (what === 'chunk' || what === 'doubled') take(request);
          else if (what === 'sent' || what === 'ended') {
            pipeline[what](request.id, now);
            if (isKnown && !left.has(request.id)) block(request, Math.min(now + 15_000, request.at + 60_000));
            left.add(request.id);
          } else if (what === 'failed' && isKnown) {
            pipeline.failed(request.id, now);
            block(request, now);
          }
        }
        for (
          let round = 0;
          round < 2_000 && files.some(({ received, size }) => !received.covers(0, size));
          round += 1
        ) {
          now += 1_000;
          for (const asked of turn(pipeline, files, now, { rate: 6_400, maxChunk: 90 })) take(asked);
        }
        expect(files.every(({ received, size }) => received.covers(0, size))).toBe(true);
        expect(pipeline.underWay).toBe(0);
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});
