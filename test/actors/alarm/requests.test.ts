/** What is asked of the cells of alarms, and what becomes of it when nobody answers. */

import { describe, expect, it } from 'vitest';
import { type Answer, Requests } from '../../../actors/alarm/requests.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';

const WITHIN_MS = 20_000;

function world() {
  const clock = new ManualClock(5_000);
  const requests = new Requests(clock);
  const answers: Record<string, Answer> = {};
  /** Asks under the name that it returns. */
  const ask = (): string => {
    let name = '';
    const answered = requests.ask((request) => {
      name = request;
      return 'accepted';
    }, WITHIN_MS);
    void answered.then((answer) => {
      answers[name] = answer;
    });
    return name;
  };
  return { clock, requests, answers, ask };
}

describe('what is asked of an alarm', () => {
  it('requests.N1 is answered by the reply to its own name, whichever comes first, and by nothing else of it', async () => {
    const { clock, requests, answers, ask } = world();
    const [one, two] = [ask(), ask()];
    expect(one).not.toBe(two);
    expect([requests.waiting, clock.waiting]).toEqual([2, 2]);
    requests.replied({ request: 'nobody', outcome: 'accepted' });
    await settled();
    expect(answers).toEqual({});
    requests.replied({ request: two, outcome: 'refused', reason: 'it is not shelved' });
    await settled();
    expect(answers).toEqual({ [two]: { outcome: 'refused', reason: 'it is not shelved' } });
    requests.replied({ request: one, outcome: 'accepted' });
    await settled();
    expect(answers[one]).toEqual({ outcome: 'accepted' });
    expect([requests.waiting, clock.waiting]).toEqual([0, 0]);
  });

  it('requests.N1 is late when its time is over, not before, and a reply behind that changes nothing', async () => {
    const { clock, requests, answers, ask } = world();
    const name = ask();
    await clock.run(WITHIN_MS - 1, WITHIN_MS);
    expect(answers).toEqual({});
    await clock.run(1);
    expect(answers).toEqual({ [name]: { outcome: 'late' } });
    expect(requests.waiting).toBe(0);
    requests.replied({ request: name, outcome: 'accepted' });
    await settled();
    expect(answers).toEqual({ [name]: { outcome: 'late' } });
  });

  it.each(['full', 'gone', 'quarantined'] as const)(
    'requests.N1 is waited for no longer where its cell says %s',
    async (receipt) => {
      const { clock, requests } = world();
      expect(await requests.ask(() => receipt, WITHIN_MS)).toEqual({ outcome: receipt });
      expect([requests.waiting, clock.waiting]).toEqual([0, 0]);
    },
  );

  it('is let go, all of it, when the service stops', async () => {
    const { clock, requests, answers, ask } = world();
    const names = [ask(), ask(), ask()];
    requests.stop();
    await settled();
    expect(answers).toEqual(Object.fromEntries(names.map((name) => [name, { outcome: 'gone' }])));
    expect([requests.waiting, clock.waiting]).toEqual([0, 0]);
  });
});
