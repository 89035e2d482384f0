/** What the operator's console keeps of the service, without a browser: its globals are given by the test. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepRenewed, keepTokens, signOut } from '../../../console/oidc-tokens.ts';
import { Catalogues } from '../../../console/operator/data/catalogues.ts';
import { LiveAlarms } from '../../../console/operator/data/live-alarms.ts';
import { LivePasses } from '../../../console/operator/data/live-passes.ts';
import { LiveValues } from '../../../console/operator/data/live-values.ts';
import { type LogPage, Paged } from '../../../console/operator/data/paged.ts';
import { PassWindow } from '../../../console/operator/data/pass-window.ts';
import { refusalView } from '../../../console/operator/parts/refusal.ts';
import { ServiceError } from '../../../console/service-error.ts';
import { keepToken, keptToken, whenTokenAsked } from '../../../console/token.ts';
import type { PassView } from '../../../contract/pass.ts';

const AT = Date.parse('2026-03-01T12:00:00.000Z');
const HOUR = 3_600_000;

/** Sockets that the console has opened, the newest last. */
let sockets: StubSocket[] = [];

class StubSocket {
  readonly url: string;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason?: string }) => void) | null = null;

  constructor(url: string) {
    this.url = url;
    sockets.push(this);
  }

  close(): void {}

  says(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

/** Questions by path, each with how it is answered. */
let asked: { readonly path: string; readonly answer: (status: number, body: unknown) => Promise<void> }[] =
  [];

beforeEach(() => {
  [sockets, asked] = [[], []];
  vi.useFakeTimers({ now: AT });
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  vi.stubGlobal('location', { href: 'http://console/', protocol: 'http:' });
  vi.stubGlobal('document', { visibilityState: 'visible' });
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('removeEventListener', () => undefined);
  vi.stubGlobal('WebSocket', StubSocket);
  vi.stubGlobal(
    'fetch',
    (path: string) =>
      new Promise<Response>((resolve) => {
        const answer = async (status: number, body: unknown): Promise<void> => {
          resolve(new Response(JSON.stringify(body), { status }));
          await settled();
        };
        asked.push({ path, answer });
      }),
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Everything that follows from an answer has happened. */
async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

/** The question whose path matches, which is then answered. */
function question(path: RegExp): (typeof asked)[number] {
  const at = asked.findIndex((each) => path.test(each.path));
  if (at === -1) throw new Error(`nobody asked for ${path}: ${asked.map((each) => each.path).join()}`);
  return asked.splice(at, 1)[0]!;
}

const REFUSED = { errors: [{ code: 'api::unavailable', message: 'the bus does not answer' }] };

function pass(target: string, id: string): PassView {
  return {
    pass: {
      id,
      target,
      station: 'kiruna',
      aos: new Date(AT + 25 * HOUR).toISOString(),
      los: new Date(AT + 25.1 * HOUR).toISOString(),
      max_elevation: '20 deg',
      source: 'fds',
      status: 'booked',
    },
  } as PassView;
}

describe('a refusal', () => {
  it.each([
    [0, true],
    [500, true],
    [503, true],
    [422, false],
    [403, false],
  ])('of status %i leaves open whether it was done: %s', (status, isUnknown) => {
    const refusal = new ServiceError(status, [{ code: 'c', message: 'm' }]);
    expect(refusal.isUnknown).toBe(isUnknown);
    expect(JSON.stringify(refusalView(refusal, 'may have been taken')).includes('may have been taken')).toBe(
      isUnknown,
    );
  });
});

describe('passes of a part of time', () => {
  const TOMORROW = { from: AT + 24 * HOUR, to: AT + 30 * HOUR, now: AT };
  const namesOf = (passes: readonly { readonly view: PassView }[]) => passes.map(({ view }) => view.pass.id);

  it('window-list.W3 of one target are never those of another one, whatever was read before', async () => {
    const window = new PassWindow(() => undefined);
    window.of({ target: '', ...TOMORROW }, undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    await question(/passes\?all=true&from/).answer(200, {
      passes: [pass('sat1', 'one'), pass('sat2', 'two')],
    });
    expect(namesOf(window.of({ target: '', ...TOMORROW }, undefined))).toEqual(['one', 'two']);
    expect(namesOf(window.of({ target: 'sat1', ...TOMORROW }, undefined))).toEqual(['one']);
    expect(namesOf(window.of({ target: 'sat2', ...TOMORROW }, undefined))).toEqual(['two']);
  });

  it('window-list.W3 are forgotten where the page was left and another question is asked behind that', async () => {
    const YESTERDAY = { from: AT - 24 * HOUR, to: AT, now: AT };
    const window = new PassWindow(() => undefined);
    window.of({ target: 'sat1', ...YESTERDAY }, undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    await question(/target=sat1/).answer(200, { passes: [pass('sat1', 'one')] });
    window.list.leave();
    window.of({ target: 'sat2', ...YESTERDAY }, undefined);
    expect(window.list.items).toEqual([]);
  });

  it('are asked for again by who comes back behind a refusal', async () => {
    const window = new PassWindow(() => undefined);
    window.of({ target: '', ...TOMORROW }, undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    await question(/passes/).answer(503, REFUSED);
    expect(window.list.refusal?.status).toBe(503);
    window.list.leave();
    await vi.advanceTimersByTimeAsync(120_000);
    window.of({ target: '', ...TOMORROW }, undefined);
    expect(window.list.refusal).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1_000);
    await question(/passes/).answer(200, { passes: [] });
  });
});

describe('a list that comes in pages', () => {
  interface Row {
    readonly id: string;
  }
  type Page = LogPage & { readonly rows: readonly Row[] };
  const page = (ids: string, next?: string) => ({
    rows: [...ids].map((id) => ({ id })),
    gaps: [],
    damaged: 0,
    pending: 0,
    ...(next !== undefined && { next }),
  });

  it('has its older pages still behind a reading that failed', async () => {
    const list = new Paged<Page, Row>(
      ({ rows }) => rows,
      ({ id }) => id,
      () => undefined,
    );
    list.choose('/log?limit=2');
    await question(/log/).answer(200, page('dc', 'older'));
    expect(list.hasOlder).toBe(true);
    list.again();
    await question(/log/).answer(422, REFUSED);
    // Whoever draws asks for older ones: not while it is refused.
    expect(list.hasOlder).toBe(false);
    list.again();
    await question(/log/).answer(200, page('dc', 'older'));
    expect(list.hasOlder).toBe(true);
    list.older();
    await question(/cursor=older/).answer(200, page('ba'));
    expect(list.rows.map(({ id }) => id).join('')).toBe('dcba');
    expect(list.hasOlder).toBe(false);
  });

  it('paged.P3 is read again while the archive has still to read and while the service does not answer, and not after a refusal', async () => {
    const list = new Paged<Page, Row>(
      ({ rows }) => rows,
      ({ id }) => id,
      () => undefined,
    );
    const again = async (status: number, body: unknown): Promise<void> => {
      await vi.advanceTimersByTimeAsync(2_000);
      await question(/log/).answer(status, body);
    };
    list.choose('/log?limit=2');
    await question(/log/).answer(200, { ...page('ba'), pending: 1 });
    await again(503, REFUSED);
    await again(200, { ...page('ba'), pending: 1 });
    await again(200, page('cb'));
    expect(list.rows.map(({ id }) => id).join('')).toBe('cba');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(0);
    list.again();
    await question(/log/).answer(403, REFUSED);
    await vi.advanceTimersByTimeAsync(60_000);
    list.again();
    await question(/log/).answer(503, REFUSED);
    list.forget();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(0);
  });
});

describe('catalogues', () => {
  it('catalogues.C2 of a table of many targets are asked for once each, and give way when nobody asks any more', async () => {
    const catalogues = new Catalogues(() => undefined);
    const targets = Array.from({ length: 100 }, (_, n) => `sat${n}`);
    const drawn = (): number => targets.filter((target) => catalogues.of(target) !== undefined).length;
    drawn();
    expect(asked).toHaveLength(100);
    for (const each of asked.splice(0)) void each.answer(200, { platform: 'p@1', components: [] });
    await settled();
    for (let time = 0; time < 5; time += 1) expect(drawn()).toBe(100);
    expect(asked).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(60_000);
    catalogues.of('another');
    await question(/another/).answer(200, { platform: 'p@1', components: [] });
    // All but the last of those that nobody asks about are gone: they are asked for again.
    expect(drawn()).toBeLessThan(32);
    expect(asked.length).toBeGreaterThan(68);
  });
});

describe('what is followed', () => {
  it('live-alarms.A1 is live once the list was read behind the opening of the watch, again behind each outage', async () => {
    const alarms = new LiveAlarms(() => undefined);
    sockets.at(-1)!.onopen!();
    expect(alarms.isLive).toBe(false);
    await question(/v1\/alarms$/).answer(200, { alarms: [] });
    expect(alarms.isLive).toBe(true);
    sockets.at(-1)!.onclose!({ code: 1006 });
    expect(alarms.isLive).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    sockets.at(-1)!.onopen!();
    // What happened meanwhile is in the list alone.
    expect(alarms.isLive).toBe(false);
    await question(/v1\/alarms$/).answer(503, REFUSED);
    expect(alarms.isLive).toBe(false);
    await vi.advanceTimersByTimeAsync(3_000);
    await question(/v1\/alarms$/).answer(200, { alarms: [] });
    expect(alarms.isLive).toBe(true);
  });

  it('live-alarms.A2 does not lose what was raised behind a list that comes late, nor is live by that list', async () => {
    const alarms = new LiveAlarms(() => undefined);
    sockets.at(-1)!.onopen!();
    const late = question(/v1\/alarms$/);
    sockets.at(-1)!.onclose!({ code: 1006 });
    await vi.advanceTimersByTimeAsync(1_000);
    sockets.at(-1)!.onopen!();
    const raised = {
      target: 'sat1',
      component: 'eps',
      alarm: 'low',
      record: { state: 'ACTIVE_UNACK', severity: 'critical', seq: 1 },
    };
    await question(/v1\/alarms$/).answer(200, { alarms: [raised] });
    expect([alarms.isLive, alarms.all.length]).toEqual([true, 1]);
    await late.answer(200, { alarms: [] });
    expect([alarms.isLive, alarms.all.length]).toEqual([true, 1]);
    const before = sockets.at(-1)!;
    alarms.reopen();
    sockets.at(-1)!.onopen!();
    const slow = question(/v1\/alarms$/);
    before.onclose?.({ code: 1006 });
    alarms.reopen();
    sockets.at(-1)!.onopen!();
    await slow.answer(200, { alarms: [] });
    expect([alarms.isLive, alarms.all.length]).toEqual([false, 1]);
  });

  it('live-values.V3 takes each sample that the service reports, also one with the times of the one before', () => {
    const values = new LiveValues('sat1', () => undefined);
    const at = new Date(AT).toISOString();
    const says = (value: number): void =>
      sockets.at(-1)!.says({
        component: 'eps',
        measure: 'voltage',
        sample: { value, time: at, ground_time: at, delivery: 'realtime' },
      });
    sockets.at(-1)!.onopen!();
    says(7.2);
    says(7.4);
    const shown = values.byName.get('eps.voltage')!;
    expect([shown.sample.value, shown.spark]).toEqual([7.4, [7.2, 7.4]]);
    // As at the beginning of a watch that was opened again.
    says(7.4);
    expect(shown.spark).toEqual([7.2, 7.4]);
  });

  it('keeps the passes until the watch is open again', () => {
    const passes = new LivePasses('sat1', () => undefined);
    sockets.at(-1)!.onopen!();
    sockets.at(-1)!.says(pass('sat1', 'one'));
    sockets.at(-1)!.says(pass('sat1', 'two'));
    expect(passes.isLost).toBe(false);
    sockets.at(-1)!.onclose!({ code: 1006 });
    passes.reopen();
    expect(passes.ahead(AT)).toHaveLength(2);
    sockets.at(-1)!.onclose!({ code: 1006 });
    expect(passes.isLost).toBe(true);
    passes.reopen();
    sockets.at(-1)!.onopen!();
    sockets.at(-1)!.says(pass('sat1', 'two'));
    expect(passes.ahead(AT)).toHaveLength(1);
  });

  it('live-socket.K2 goes on when a token is kept behind the end of the one before', () => {
    keepToken('first');
    const passes = new LivePasses('sat1', () => undefined);
    sockets.at(-1)!.onopen!();
    sockets.at(-1)!.onclose!({ code: 4401 });
    expect([sockets.length, passes.isLost]).toEqual([1, true]);
    keepToken('second');
    expect(sockets.length).toBe(2);
    expect(sockets.at(-1)!.url).toMatch(/token=second/);
    sockets.at(-1)!.onopen!();
    keepToken('third');
    expect(sockets.length).toBe(2);
    // One was kept meanwhile.
    sockets.at(-1)!.onclose!({ code: 4401 });
    vi.advanceTimersByTime(1_000);
    expect(sockets.at(-1)!.url).toMatch(/token=third/);
    // Nothing that is closed is opened again.
    sockets.at(-1)!.onclose!({ code: 4401 });
    passes.close();
    keepToken('fourth');
    expect(sockets.length).toBe(3);
  });
});

describe('access that has ended', () => {
  it.each([
    ['without a token', undefined],
    ['with a token whose key was withdrawn', 'withdrawn'],
  ])(
    'live-socket.K2 of a page %s is said, asked for, and found again when it is given back',
    async (_, token) => {
      const reasons: string[] = [];
      whenTokenAsked((reason) => reasons.push(reason));
      keepToken(token);
      const passes = new LivePasses('sat1', () => undefined);
      sockets.at(-1)!.onopen!();
      sockets.at(-1)!.onclose!({ code: 4401, reason: 'access has ended' });
      expect([passes.isLost, passes.isLive, reasons]).toEqual([true, false, ['access has ended']]);
      // Refused before it is open: a browser does not say why.
      await vi.advanceTimersByTimeAsync(5_000);
      sockets.at(-1)!.onclose!({ code: 1006 });
      expect(passes.isLost).toBe(true);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(sockets).toHaveLength(3);
      sockets.at(-1)!.onopen!();
      expect(passes.isLive).toBe(true);
      whenTokenAsked(() => undefined);
    },
  );
});

describe('tokens of an identity provider', () => {
  const RENEWAL = JSON.stringify({ client: 'mcs', endpoint: 'http://provider/token', token: 'refresh' });
  const token = (name: string): string => {
    const claims = { sub: name, iat: AT / 1_000, exp: AT / 1_000 + 60 };
    return `h.${btoa(JSON.stringify(claims))}.s`;
  };

  it.each([
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
    ['right', 0],
  ])(
    'oidc-tokens.S5 are renewed once before they end where the clock of the browser is %s',
    async (_, aheadMs) => {
      const issued = (): string => {
        const at = (Date.now() - aheadMs) / 1_000;
        return `h.${btoa(JSON.stringify({ sub: 'ada', iat: at, exp: at + 60 }))}.s`;
      };
      const place = { client: 'mcs', endpoint: 'http://provider/token' };
      keepTokens({ access_token: issued(), refresh_token: 'first' }, place);
      const end = keepRenewed(() => undefined);
      for (let renewed = 0; renewed < 3; renewed += 1) {
        await vi.advanceTimersByTimeAsync(40_000);
        expect(asked).toEqual([]);
        await vi.advanceTimersByTimeAsync(15_000);
        await question(/provider/).answer(200, { access_token: issued(), refresh_token: 'next' });
      }
      end();
    },
  );

  it('oidc-tokens.S4 renewed for who has given way to somebody else are not kept', async () => {
    keepToken(token('ada'));
    sessionStorage.setItem('mcs.renewal', RENEWAL);
    const end = keepRenewed(() => undefined);
    await vi.advanceTimersByTimeAsync(50_000);
    const renewal = question(/provider/);
    // As the dialog of `console/sign-in.ts` does for a token that is pasted.
    signOut();
    keepToken(token('bo'));
    await renewal.answer(200, { access_token: token('ada again'), refresh_token: 'next' });
    expect(keptToken()).toBe(token('bo'));
    await vi.advanceTimersByTimeAsync(300_000);
    expect([keptToken(), asked.length]).toEqual([token('bo'), 0]);
    end();
  });
});
