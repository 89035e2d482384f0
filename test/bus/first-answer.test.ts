import { describe, expect, it } from 'vitest';
import { firstOf } from '../../bus/first-answer.ts';

/** Asked with so many that stay without an answer; what answers the others is held until it is let go. */
function asking(unanswered: number, answer: () => Promise<string>) {
  const lefts: number[] = [];
  const late: ((value: string) => void)[] = [];
  const ask = (left: number): Promise<string> => {
    lefts.push(left);
    return lefts.length > unanswered ? answer() : new Promise((resolve) => late.push(resolve));
  };
  return { ask, lefts, late };
}

describe('one question asked several times', () => {
  it('has the first answer, and is asked no more behind it', async () => {
    const { ask, lefts } = asking(3, async () => 'yes');
    expect(await firstOf(60_000, 5, ask)).toBe('yes');
    expect(lefts).toHaveLength(4);
    await new Promise((resolve) => setTimeout(resolve, 25));
    expect(lefts).toHaveLength(4);
    expect([...lefts].sort((one, other) => other - one)).toEqual(lefts);
  });

  it('hands over what answers the others later', async () => {
    const { ask, late } = asking(2, async () => 'first');
    const received: string[] = [];
    expect(await firstOf(60_000, 5, ask, (answer) => received.push(answer))).toBe('first');
    for (const [n, answer] of late.entries()) answer(`late ${n}`);
    await Promise.resolve();
    expect(received).toEqual(['late 0', 'late 1']);
  });

  it('is rejected by the first rejection, which is an answer as well', async () => {
    const { ask, lefts } = asking(1, async () => Promise.reject(new Error('refused')));
    await expect(firstOf(60_000, 5, ask)).rejects.toThrow('refused');
    await new Promise((resolve) => setTimeout(resolve, 25));
    expect(lefts).toHaveLength(2);
  });

  it('is asked once where it is never asked again, or only behind its time', async () => {
    for (const againMs of [Number.POSITIVE_INFINITY, 60_000]) {
      const { ask, lefts } = asking(0, async () => 'yes');
      expect(await firstOf(1_000, againMs, ask)).toBe('yes');
      expect(lefts).toHaveLength(1);
    }
  });
});
