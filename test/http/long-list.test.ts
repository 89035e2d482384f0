import { expect, it } from 'vitest';
import { LIST_AT_ONCE, LIST_SLICE } from '../../contract/limits/connection.ts';
import { listReply } from '../../http/long-list.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

it.each([LIST_AT_ONCE + 1, 2 * LIST_AT_ONCE, 3 * LIST_SLICE * 100 - 1])(
  'long-list.G1 a list of %d items is written in slices, each made when it is asked for, while others have their turn',
  async (count) => {
    let made = 0;
    const { status, body, stream } = listReply('all', numbers(count), (n) => {
      made += 1;
      return { n };
    });
    expect({ status, body, bytes: stream?.bytes }).toEqual({
      status: 200,
      body: undefined,
      bytes: undefined,
    });
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      if (isOver) return;
      turns += 1;
      setImmediate(turn);
    };
    setImmediate(turn);
    const pieces: Uint8Array[] = [];
    for await (const piece of stream!.pieces()) {
      pieces.push(piece);
      expect(made).toBe(Math.min(count, pieces.length * LIST_SLICE));
    }
    isOver = true;
    expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual({ all: numbers(count).map((n) => ({ n })) });
    expect(turns).toBeGreaterThanOrEqual(Math.ceil(count / LIST_SLICE));
  },
);

it.each([0, 1, LIST_AT_ONCE])('a list of %d items is a body', (count) => {
  const reply = listReply('all', numbers(count), String);
  expect(reply).toEqual({ status: 200, body: { all: numbers(count).map(String) } });
});
