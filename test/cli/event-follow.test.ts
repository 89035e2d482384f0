import { describe, expect, it } from 'vitest';
import { EventFollow } from '../../cli/event-follow.ts';
import type { ListedPages } from '../../cli/log-pages.ts';
import type { WatchedEvent } from '../../contract/event.ts';
import { settled } from '../support/manual-clock.ts';

type Listed = ListedPages<WatchedEvent>;

const AT = Date.parse('2026-01-02T03:00:00Z');

function event(n: number): WatchedEvent {
  const time = new Date(AT + n * 1_000).toISOString();
  return { time, kind: 'mode', severity: 'info', subject: 'sat1', text: `event ${n}` };
}

/** As the service has it: the newest first. */
function page(numbers: readonly number[], more: Partial<Listed> = {}): Listed {
  return { items: numbers.map(event).reverse(), more: false, pending: 0, said: [], ...more };
}

function started() {
  const lines: string[] = [];
  const asked: (string | undefined)[] = [];
  const answers: ((listed: Listed | undefined) => void)[] = [];
  const pauses: { readonly ms: number; readonly end: () => void }[] = [];
  const follow = new EventFollow({
    now: () => AT + 100_000,
    pause: (ms) => new Promise<void>((end) => pauses.push({ ms, end })),
    list: (since) => {
      asked.push(since);
      return new Promise((answer) => answers.push(answer));
    },
    show: ({ text }) => void lines.push(text),
    say: (line) => void lines.push(line),
    refused: () => void lines.push('refused'),
  });
  /** Opens, with this answer to the question for the past. */
  const opened = async (listed: Listed | undefined): Promise<void> => {
    const done = follow.opened();
    answers.at(-1)!(listed);
    await done;
  };
  const over = async (ms: number): Promise<void> => {
    for (const each of pauses.filter((one) => one.ms === ms)) each.end();
    await settled();
  };
  return { follow, lines, asked, answers, opened, over };
}

describe('following the log of events', () => {
  it('event-follow.F1 asks for the past when it follows, and prints what both have once, in order', async () => {
    const { follow, lines, answers } = started();
    const done = follow.opened();
    follow.received(event(3));
    follow.received(event(4));
    await settled();
    expect(lines).toEqual([]);
    answers[0]!(page([1, 2, 3]));
    await done;
    follow.received(event(5));
    follow.received(event(5));
    expect(lines).toEqual([1, 2, 3, 4, 5, 5].map((n) => `event ${n}`));
  });

  it('event-follow.F1 after a loss asks for what happened meanwhile, from before it was noticed', async () => {
    const { follow, lines, asked, opened } = started();
    await opened(page([1]));
    follow.received(event(2));
    follow.lost('the service closed');
    follow.lost('the service does not answer');
    await opened(page([1, 2, 3]));
    follow.received(event(4));
    expect(lines).toEqual([
      'event 1',
      'event 2',
      '-- the service closed; trying again',
      '-- connected again',
      'event 3',
      'event 4',
    ]);
    expect(asked).toEqual([undefined, new Date(AT - 20_000).toISOString()]);
  });

  it('event-follow.F1 lost again before the past has come, asks again from the first loss on', async () => {
    const { follow, lines, asked, opened } = started();
    await opened(page([1]));
    follow.lost('the service closed');
    const overtaken = follow.opened();
    follow.lost('the service closed');
    await opened(page([1, 2]));
    expect(asked[2]).toBe(asked[1]);
    expect(lines.filter((line) => line === 'event 2')).toHaveLength(1);
    void overtaken;
  });

  it('event-follow.F1 lost while the past is on its way, asks again from that loss on', async () => {
    const { follow, lines, asked, answers, opened } = started();
    const first = follow.opened();
    follow.lost('the service closed');
    answers[0]!(page([1]));
    await first;
    await opened(page([1, 2]));
    const since = new Date(AT - 20_000).toISOString();
    expect(asked).toEqual([undefined, since]);
    expect(lines.filter((line) => line.startsWith('event'))).toEqual(['event 1', 'event 2']);
    follow.lost('the service closed');
    const second = follow.opened();
    follow.lost('the service closed');
    answers.at(-1)!(page([3]));
    await second;
    await opened(page([3, 4]));
    expect(asked.slice(2)).toEqual([since, since]);
  });

  it('event-follow.F1 an archive that has still to read is asked again until it has everything', async () => {
    const { follow, lines, answers, over } = started();
    const done = follow.opened();
    answers[0]!(page([1], { pending: 2, said: ['the archive has 2 messages still to read'] }));
    await settled();
    expect(lines).toEqual([]);
    await over(250);
    answers[1]!(page([1, 2, 3]));
    await done;
    expect(lines).toEqual(['event 1', 'event 2', 'event 3']);
  });

  it('event-follow.F2 event-follow.F3 one that does not answer keeps nothing back for longer than 5 s, and that is said', async () => {
    const { follow, lines, opened, over } = started();
    const done = follow.opened();
    follow.received(event(7));
    await over(5_000);
    await done;
    expect(lines).toEqual(['event 7', 'the archive does not answer: what happened before is missing']);
    follow.lost('the service closed');
    const again = follow.opened();
    await over(5_000);
    await again;
    const since = new Date(AT + 100_000).toISOString();
    const missing = `-- some of what happened meanwhile may be missing: mcs events --from ${since}`;
    expect(lines.at(-1)).toBe(missing);
    for (const past of [undefined, page([8], { more: true }), page([9], { said: ['1 gaps'] })]) {
      follow.lost('the service closed');
      await opened(past);
      expect(lines.at(-1)).toBe(missing);
    }
  });

  it('event-follow.F3 a first list that is refused ends it', async () => {
    const { lines, opened } = started();
    await opened(undefined);
    expect(lines).toEqual(['refused']);
  });
});
