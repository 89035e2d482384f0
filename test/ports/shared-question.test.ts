import { expect, it } from 'vitest';
import { SharedQuestions } from '../../ports/shared-question.ts';

/** Questions that the test answers, and what was asked for in order. */
function world(awaitedMs?: number) {
  const asked: { about: string; answer: (value: number) => void; fail: (error: Error) => void }[] = [];
  let now = 0;
  const questions = new SharedQuestions<number>(
    (about) => new Promise((answer, fail) => asked.push({ about, answer, fail })),
    { now: () => now, ...(awaitedMs !== undefined && { awaitedMs }) },
  );
  return { asked, questions, pass: (ms: number) => (now += ms) };
}

it('shared-question.V1 those who come while one is on its way share the next, and none is given an older answer', async () => {
  const { asked, questions } = world();
  const first = questions.ask('a');
  const later = [questions.ask('a'), questions.ask('a'), questions.ask('a')];
  const other = questions.ask('b');
  expect(asked.map(({ about }) => about)).toEqual(['a', 'b']);
  asked[0]!.answer(1);
  expect(await first).toBe(1);
  expect(asked.map(({ about }) => about)).toEqual(['a', 'b', 'a']);
  asked[1]!.answer(7);
  asked[2]!.answer(2);
  expect([await other, ...(await Promise.all(later))]).toEqual([7, 2, 2, 2]);
  const afterwards = questions.ask('a');
  asked[3]!.answer(3);
  expect(await afterwards).toBe(3);
});

it('shared-question.V1 a question that fails is that of those who asked it; the next is put all the same', async () => {
  const { asked, questions } = world();
  const first = questions.ask('a');
  const later = questions.ask('a');
  asked[0]!.fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  asked[1]!.answer(2);
  expect(await later).toBe(2);
});

it('shared-question.V2 one that takes long holds nobody back', async () => {
  const { asked, questions, pass } = world(250);
  const slow = questions.ask('a');
  const waiting = questions.ask('a');
  pass(300);
  const later = questions.ask('a');
  asked[1]!.answer(2);
  expect(await later).toBe(2);
  asked[0]!.answer(1);
  expect(await slow).toBe(1);
  asked[2]!.answer(3);
  expect(await waiting).toBe(3);
});

it('shared-question.V2 without a time one is under way, and all who come meanwhile share the next, however long it takes', async () => {
  const { asked, questions, pass } = world();
  const slow = questions.ask('a');
  pass(100_000);
  const later = [questions.ask('a'), questions.ask('a')];
  expect(asked.length).toBe(1);
  asked[0]!.answer(1);
  expect(await slow).toBe(1);
  expect(asked.length).toBe(2);
  asked[1]!.answer(2);
  expect(await Promise.all(later)).toEqual([2, 2]);
});
