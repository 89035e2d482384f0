import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteRanges } from '../../../contract/byte-ranges.ts';
import { Pipeline } from '../../../mission/transfer/pipeline.ts';
import { type Request, Requests } from '../../../mission/transfer/requests.ts';
import { processorMs, timesCeiling } from '../../support/processor-time.ts';

const KEYS = ['a', 'b', 'c'];
const step = fc.record({
  key: fc.constantFrom(...KEYS),
  id: fc.integer({ min: 0, max: 30 }).map(String),
  start: fc.integer({ min: 0, max: 50 }),
  bytes: fc.integer({ min: 1, max: 20 }),
  does: fc.constantFrom('add', 'add', 'delete'),
});

describe('the requests under way', () => {
  it('are found by the bytes they have, as if each was looked at, and each that goes is reported once', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const gone: string[] = [];
        const expected: string[] = [];
        const requests = new Requests((id) => gone.push(id));
        const plain = new Map<string, Request>();
        for (const { key, id, start, bytes, does } of steps) {
          if (plain.delete(id)) expected.push(id);
          if (does === 'delete') requests.delete(id);
          else {
            const request = { id, key, start, end: start + bytes, at: 0, ahead: bytes, sentAt: undefined };
            plain.set(id, request);
            requests.add(request);
          }
          const [from, to] = [start, start + 7];
          for (const each of KEYS) {
            const own = [...plain.values()].filter((request) => request.key === each);
            const touching = own.filter((request) => request.start < to && request.end > from);
            expect(new Set(requests.touching(each, from, to))).toEqual(new Set(touching));
            expect(new Set(requests.ofKey(each))).toEqual(new Set(own));
          }
          expect([requests.size, gone]).toEqual([plain.size, expected]);
        }
      }),
    );
  });

  it('a chunk costs those it touches, not those under way', () => {
    const chunks = 500;
    const costOf = (underWay: number): number => {
      const pipeline = new Pipeline();
      const received = new ByteRanges();
      const waiting = [{ key: 'a', priority: 0, createdAt: 0, size: underWay * 10, received }];
      const limits = { rate: underWay * 40 + 8, maxChunk: 10 };
      let asked = 0;
      for (const each of pipeline.next(waiting, limits, 0)) pipeline.asked(`${asked++}`, each, 0);
      expect(asked).toBe(underWay);
      return processorMs(() => {
        for (let n = 0; n < chunks; n += 1) pipeline.received('a', n * 10, n * 10 + 10, 0);
      });
    };
    // Twelve times as many: were each looked at, it would be near twelve times as much, 200 ms and more.
    const many = timesCeiling(
      () => costOf(12_000),
      () => costOf(1_000) + 4,
      5,
    );
    expect(many).toBeLessThanOrEqual(5);
  });
});
