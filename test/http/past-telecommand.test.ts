/** Telecommands that have left the bus by their age, with a real archive behind the routes. */

import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import type { ArchivedEvent } from '../../contract/event-query.ts';
import { TC_PAST_QUESTIONS } from '../../contract/limits/telecommand.ts';
import { accepted, refused } from '../../contract/result.ts';
import { closeCode } from '../../http/follow.ts';
import { pastEvents } from '../../http/past-telecommand.ts';
import { followTelecommand, submitTelecommand } from '../../http/routes/telecommands.ts';
import type { Entry, StreamMessage } from '../../ports/bus.ts';
import { until } from '../support/until.ts';
import { absentBus, codesOf, follow, post } from './fixture.ts';
import {
  connectorDocument,
  connectorEntry,
  type HistoryWorld,
  HOUR,
  startHistoryWorld,
} from './history-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const UNANSWERED = { code: 'archive::unanswered', message: 'no archive answers' } as const;
const NONE = { code: 'archive::none', message: 'no archive' } as const;

let world: HistoryWorld;
let position = 0;
/** What the bus stores, and what it still has of a telecommand. */
const stored: string[] = [];
let last: StreamMessage | undefined;
let followed = 0;
let keptMs = streams.telecommandEvents.maxAgeMs as number;
let changeConnector: (name: string, entry: Entry | undefined) => void;
/** When the first message was stored that the bus has, where others were before it; or when the stream was made. */
let leftUntil: number;

beforeAll(async () => {
  world = await startHistoryWorld([submitTelecommand], [followTelecommand], {
    append: async ({ name }, _subject, data) => {
      if (name === streams.telecommands.name)
        stored.push((JSON.parse(Buffer.from(data).toString()) as { id: string }).id);
      return { outcome: 'stored', seq: 1 };
    },
    keptMs: () => keptMs,
    leftUntil: async () => leftUntil,
    last: async () => last,
    follow: async () => {
      followed += 1;
      return { caughtUp: Promise.resolve(0), stop: async () => undefined };
    },
    bucket: (definition) => ({
      ...absentBus.bucket(definition),
      get: async () => undefined,
      watch: async (_filter, changed) => {
        if (definition.name === buckets.connectors.name)
          changeConnector = (name, entry) => changed(name, entry);
        return { ready: Promise.resolve(), stop: async () => undefined };
      },
    }),
  });
});
afterAll(() => world.stop());
beforeEach(() => {
  stored.length = 0;
  last = undefined;
  followed = 0;
  keptMs = streams.telecommandEvents.maxAgeMs;
  leftUntil = 0;
  world.refuseWith(undefined);
});

/** Events of a telecommand in the archive: each state so long behind its drawing. */
async function archived(drawn: number, states: readonly (readonly [string, number])[]): Promise<string> {
  const id = ulid(drawn);
  for (const [state, behindMs] of states) {
    const at = drawn + behindMs;
    const time = new Date(at).toISOString();
    const data = JSON.stringify({ tc: id, state, at: time, ...(state === 'ECHO' && { conforming: true }) });
    const event = { time, kind: 'telecommand', target: 'sat1', subject: id, name: 'obc.ping' } as const;
    const logged = {
      ...event,
      severity: 'info',
      state,
      text: state,
      source: `T:${id}-${state}`,
      data,
    } as const;
    position += 1;
    await world.archive.record({ position, storedMs: at, batch: { events: [logged] } });
  }
  return id;
}

const WHOLE = [
  ['PENDING', 10],
  ['ENCODED', 20],
  ['SENT', 30],
  ['VERIFIED', 900],
  ['ECHO', 1_200],
] as const;

const statesOf = async (
  id: string,
): Promise<{ states: string[]; events?: readonly { state: string }[]; closed: unknown }> => {
  const follower = await follow(`${world.url}/v1/tc/sat1/${id}/events`);
  if (follower.refused !== undefined) return { states: [], closed: codesOf(follower.refused) };
  if (followed > 0) follower.close();
  await until(() => follower.closed);
  const events = follower.messages;
  return { states: events.map(({ state }) => state), events, closed: follower.closed };
};
const send = (id: string) => post(`${world.url}/v1/tc`, { target: 'sat1', telecommand: 'ping', id });

describe('a telecommand whose events have left the bus', () => {
  it('MC-TC-049 MC-TC-050 past-telecommand.B1 is replayed whole, and the follower closed as behind any final state', async () => {
    const id = await archived(HOUR, WHOLE);
    const { states, events, closed } = await statesOf(id);
    expect(states).toEqual(WHOLE.map(([state]) => state));
    // With all that the document of an event says.
    expect(events?.at(-1)).toMatchObject({ tc: id, state: 'ECHO', conforming: true });
    expect(closed).toEqual({ code: closeCode.finished, reason: 'ECHO' });
    expect(followed).toBe(0);
  });

  it.each([
    [
      'submitted an hour and a half late',
      [['PENDING', 90 * MINUTE_MS] as const, ['REJECTED', 90 * MINUTE_MS] as const],
    ],
    [
      'drawn by a clock that is half an hour ahead',
      [['PENDING', -30 * MINUTE_MS] as const, ['REJECTED', 1] as const],
    ],
    [
      'verified after eleven hours',
      [['PENDING', 1] as const, ['SENT', 2] as const, ['VERIFIED', 11 * HOUR_MS] as const],
    ],
  ])('past-telecommand.B2 is found: %s', async (_, states) => {
    const id = await archived(HOUR + 5_000, states);
    expect((await statesOf(id)).states).toEqual(states.map(([state]) => state));
  });

  it('past-telecommand.B2 is not found where it was submitted three hours late, and has no end where none is recorded', async () => {
    for (const states of [[['PENDING', 3 * HOUR_MS] as const], [['PENDING', 1] as const]]) {
      const id = await archived(HOUR + 10_000, states);
      expect((await statesOf(id)).states).toEqual([]);
      expect(followed).toBe(1);
      followed = 0;
    }
  });

  it('O4 MC-TC-025 MC-TC-063 past-telecommand.B1 its identifier stays known, and one that nobody used is taken', async () => {
    const id = await archived(HOUR + 20_000, WHOLE);
    const again = await send(id);
    expect([again.status, again.body]).toEqual([202, { id, duplicate: true }]);
    expect((await post(`${world.url}/v1/tc`, { target: 'sat1', telecommand: 'nothing', id })).body).toEqual({
      id,
      duplicate: true,
    });
    expect(stored).toEqual([]);
    const unused = ulid(HOUR + 21_000);
    expect((await send(unused)).body).toEqual({ id: unused, duplicate: false });
    expect(stored).toEqual([unused]);
  });

  it('past-telecommand.B3 is not known while no archive answers: 503, and nothing is stored', async () => {
    const id = await archived(HOUR + 30_000, WHOLE);
    world.refuseWith(UNANSWERED);
    const refused = await send(id);
    expect([refused.status, codesOf(refused)]).toEqual([503, ['api::unavailable']]);
    expect(JSON.stringify(refused.body)).toMatch(/may be archived, and no archive answers.*drawn now/);
    expect(stored).toEqual([]);
    expect((await statesOf(id)).closed).toEqual(['api::unavailable']);
    // What the bus still has of it is shown.
    last = { subject: '', data: Buffer.from('{}'), headers: {}, seq: 1, at: 1, pending: 0 };
    expect((await statesOf(id)).states).toEqual([]);
    expect(followed).toBe(1);
    expect((await send(id)).body).toEqual({ id, duplicate: true });
  });

  it('past-telecommand.B3 is unknown to a cell without an archive', async () => {
    const id = await archived(HOUR + 40_000, WHOLE);
    world.refuseWith(NONE);
    await statesOf(id);
    expect(followed).toBe(1);
    expect((await send(id)).body).toEqual({ id, duplicate: false });
  });

  it('O4 past-doubt.D2 is not known where an archive is registered and not there: 503 with what to do, and nothing is stored', async () => {
    const id = await archived(HOUR + 45_000, WHOLE);
    world.refuseWith(NONE);
    changeConnector('archive-abc123', connectorEntry('archive-abc123'));
    try {
      const refused = await send(id);
      expect([refused.status, codesOf(refused)]).toEqual([503, ['api::unavailable']]);
      expect(refused.body.errors[0]).toMatchObject({
        message: 'events of this telecommand may be archived, and archive-abc123 is not running',
        help: expect.stringMatching(
          /Start its process.*mcs connector remove archive-abc123\. An identifier that is drawn now needs/,
        ),
      });
      expect(stored).toEqual([]);
      expect((await statesOf(id)).closed).toEqual(['api::unavailable']);
      // The one that is there has it, or has all of that time.
      world.refuseWith(undefined);
      expect((await send(id)).body).toEqual({ id, duplicate: true });
    } finally {
      changeConnector('archive-abc123', undefined);
    }
    world.refuseWith(NONE);
    expect((await send(id)).body).toEqual({ id, duplicate: false });
  });

  it('past-telecommand.B1 of one that was drawn since no archive is asked', async () => {
    world.refuseWith(UNANSWERED);
    for (const ageMs of [0, 29 * 24 * HOUR_MS]) {
      const id = ulid(Date.now() - ageMs);
      expect((await send(id)).body).toEqual({ id, duplicate: false });
      await statesOf(id);
    }
    expect(followed).toBe(2);
  });

  it('MC-BUS-021 past-telecommand.B1 goes by how long the installation keeps events', async () => {
    const id = await archived(Date.now() - 48 * HOUR_MS, WHOLE);
    keptMs = 24 * HOUR_MS;
    expect((await send(id)).body).toEqual({ id, duplicate: true });
    expect((await statesOf(id)).states).toEqual(WHOLE.map(([state]) => state));
    keptMs = 72 * HOUR_MS;
    expect((await send(id)).body).toEqual({ id, duplicate: false });
    await statesOf(id);
    expect(followed).toBe(1);
  });

  it('MC-BUS-021 past-telecommand.B1 goes by what the stream holds where its retention was shorter for a time', async () => {
    const id = await archived(Date.now() - 48 * HOUR_MS, WHOLE);
    leftUntil = Date.now() - 47 * HOUR_MS;
    expect((await send(id)).body).toEqual({ id, duplicate: true });
    expect((await statesOf(id)).states).toEqual(WHOLE.map(([state]) => state));
    expect(followed).toBe(0);
    world.refuseWith(UNANSWERED);
    expect((await send(id)).status).toBe(503);
    leftUntil = Date.now() - 49 * HOUR_MS;
    expect((await send(id)).body).toEqual({ id, duplicate: false });
    expect(stored).toEqual([id]);
  });
});

describe('past-telecommand.B2 what one question costs', () => {
  const drawn = HOUR;
  const id = ulid(drawn);
  const event = (state: string, index: number): ArchivedEvent => ({
    stream: 'S1',
    position: 1_000 - index,
    index: 0,
    time: drawn,
    kind: 'telecommand',
    severity: 'info',
    target: 'sat1',
    subject: id,
    state,
    text: state,
    data: JSON.stringify({ tc: id, state, at: new Date(drawn).toISOString() }),
  });
  const ask = async (
    pages: readonly (readonly ArchivedEvent[])[],
    {
      archive = {},
      archives = [],
      others = {},
      registered = [],
      live = true,
      removed = [],
      vanishing = false,
      ...missing
    }: Partial<Record<'damaged' | 'gaps' | 'archives', readonly object[]>> & {
      archive?: object;
      /** What those answer that are asked by their names; without one they do not. */
      others?: Readonly<
        Record<string, { readonly events?: readonly ArchivedEvent[]; readonly gaps?: readonly object[] }>
      >;
      registered?: readonly object[];
      live?: boolean;
      /** Connectors that somebody removed. */
      removed?: readonly string[];
      /** Nothing is known of any archive once one was asked by its name. */
      vanishing?: boolean;
    } = {},
  ) => {
    const asked: { from: number; to: number; before: unknown }[] = [];
    const askedOthers: string[] = [];
    const source = {
      archives: () => (vanishing && askedOthers.length > 0 ? [] : archives),
      events: async (
        { from, to }: { from: number; to: number },
        { before, of }: { before?: unknown; of?: string },
      ) => {
        if (of !== undefined) {
          askedOthers.push(of);
          if (others[of] === undefined) return refused(NONE);
          const state = archives.find((known) => (known as { archive: string }).archive === of);
          const value = { events: [], gaps: [], damaged: [], ...others[of] };
          return accepted({ value, archive: state as never });
        }
        const events = pages[asked.length] ?? [];
        asked.push({ from, to, before });
        const next =
          asked.length < pages.length ? { stream: 'S1', position: asked.length, index: 0 } : undefined;
        const value = { events, gaps: [], damaged: [], ...missing, ...(next !== undefined && { next }) };
        return accepted({ value, archive: archive as never });
      },
    };
    const connectors = { live, all: () => registered, wasRemoved: (name: string) => removed.includes(name) };
    const ports = { history: { source }, connectors };
    return { found: await pastEvents('sat1', id, ports as never), asked, askedOthers };
  };

  it.each([
    ['was too long to be kept', undefined],
    ['cannot be read', 'garbage'],
  ])('has an event also where its document %s', async (_, data) => {
    const { data: __, ...bare } = event('REJECTED', 0);
    const { found } = await ask([[data === undefined ? bare : { ...bare, data }]]);
    const state = 'REJECTED';
    expect(found).toEqual({ ok: true, value: [{ tc: id, state, at: new Date(drawn).toISOString() }] });
  });

  const before = [{ first: 1, last: 9, from: 0, to: drawn }];
  const since = (archive: string, begins?: number, alive = true) => ({
    archive,
    alive,
    events: { pending: 0, begins },
  });
  const registered = (name: string, consumer?: string) => ({
    name,
    document: connectorDocument(name, consumer),
  });
  const behind = (pending: number, readAt?: number) => ({ archive: { events: { pending, readAt } } });

  it.each([
    [
      'the archive cannot read what it has of that time',
      { damaged: [{ segment: { first: 1, last: 2, level: 'part' }, reason: 'it is torn' }] },
    ],
    [
      'messages of that time never reached the archive',
      { gaps: [{ first: 5, last: 9, from: 1, to: drawn }] },
    ],
    ['the archive has not read its messages of that time yet', behind(1, drawn)],
    ['the archive has not read its messages of that time yet', behind(1)],
    [
      'the archive that reaches back to that time does not answer',
      {
        gaps: before,
        archive: since('new', drawn),
        archives: [since('new', drawn), since('old', drawn - 1)],
      },
    ],
    [
      'the archive that reaches back to that time does not answer',
      { gaps: before, archive: since('new'), archives: [since('old', drawn)] },
    ],
    [
      'archive-gone is not running',
      { gaps: before, archive: since('new'), registered: [registered('archive-gone')] },
    ],
    ['the list of archives is not loaded yet', { gaps: before, archive: since('new'), live: false }],
  ])('past-telecommand.B3 is not known where %s, unless it is found', async (why, missing) => {
    const { found: none } = await ask([[]], missing);
    expect(JSON.stringify(none)).toContain(why);
    expect(none.ok).toBe(false);
    expect((await ask([[event('REJECTED', 0)]], missing)).found.ok).toBe(true);
  });

  it.each([
    ['lost nothing but what was before it began', { gaps: before }],
    [
      'is the one that reaches back furthest',
      {
        gaps: before,
        archive: since('a', 5),
        archives: [since('b', 5), since('a', 4), since('c'), { archive: 'd', alive: true }],
      },
    ],
    ['began before that time', { archive: since('new', 9), archives: [since('old', 1)] }],
    [
      'began behind that time, as the one that reaches back furthest did',
      {
        gaps: before,
        archive: since('new', drawn + 9 * HOUR_MS),
        archives: [since('old', drawn + 8 * HOUR_MS)],
      },
    ],
    ['has read everything', behind(0, drawn)],
    [
      'and each that is registered has said how far back it reaches',
      {
        gaps: before,
        archive: since('A1', 5),
        archives: [since('A1', 5), since('01OLDER', 6, false)],
        registered: [
          registered('archive-a1'),
          registered('archive-1older'),
          registered('recorder', 'recorder'),
        ],
      },
    ],
    ['began before that time, whatever else is registered', { registered: [registered('archive-gone')] }],
    ['began before that time, whatever is known of others', { live: false }],
    ['has read what is of that time', behind(1, drawn + 2 * HOUR_MS)],
  ])('past-telecommand.B3 is known not to be there where the archive %s', async (_, state) => {
    expect((await ask([[]], state)).found).toEqual({ ok: true, value: [] });
  });

  describe('past-telecommand.B3 where the first archive leaves a doubt', () => {
    const doubtful = {
      gaps: before,
      archive: since('new', drawn),
      archives: [since('new', drawn), since('gone', drawn - 9, false), since('old', drawn - 8)],
      registered: [registered('archive-gone')],
    };

    it('the others that are there are asked: what one of them has is found', async () => {
      const { found, askedOthers } = await ask([[]], {
        ...doubtful,
        others: { old: { events: [event('REJECTED', 0)] } },
      });
      expect(found.ok && found.value.map(({ state }) => state)).toEqual(['REJECTED']);
      expect(new Set(askedOthers)).toEqual(new Set(['old']));
    });

    it('what one of them has is found, whatever else it has lost', async () => {
      const old = { events: [event('REJECTED', 0)], gaps: before };
      expect((await ask([[]], { ...doubtful, others: { old } })).found).toMatchObject({
        ok: true,
        value: [{}],
      });
    });

    it('nobody knows where the one that would have it is gone when it is asked', async () => {
      const { found } = await ask([[]], { ...doubtful, registered: [], vanishing: true });
      expect(found.ok).toBe(false);
    });

    it('what one of them would have is not there', async () => {
      const { found } = await ask([[]], { ...doubtful, others: { old: {} } });
      expect(found).toEqual({ ok: true, value: [] });
    });

    it('nobody knows where they leave one too, or do not answer: the doubt is that of the first', async () => {
      for (const others of [
        {},
        { old: { gaps: before } },
        { old: { gaps: [{ first: 1, last: 2, from: 1, to: 2 }] } },
      ]) {
        const { found, askedOthers } = await ask([[]], { ...doubtful, others });
        expect(JSON.stringify(found)).toContain('that reaches back to that time does not answer');
        expect(askedOthers).toContain('old');
        expect(askedOthers).not.toContain('new');
      }
    });

    it('past-doubt.D3 of one that is away and whose connector was removed nothing is expected', async () => {
      const rest = { ...doubtful, others: { old: { gaps: before } }, registered: [] };
      expect((await ask([[]], { ...rest, removed: ['archive-gone'] })).found).toEqual({
        ok: true,
        value: [],
      });
      // It may have been unable to register, and while it runs it belongs to the cell in any case.
      expect((await ask([[]], rest)).found.ok).toBe(false);
      const both = { ...rest, others: {}, removed: ['archive-gone', 'archive-old'] };
      expect((await ask([[]], both)).found.ok).toBe(false);
      expect((await ask([[]], { ...rest, removed: ['archive-gone'], live: false })).found.ok).toBe(false);
    });

    it('none of them is asked where there is no doubt, or it was found', async () => {
      const { gaps: _, ...certain } = doubtful;
      expect((await ask([[]], certain)).askedOthers).toEqual([]);
      expect((await ask([[event('REJECTED', 0)]], doubtful)).askedOthers).toEqual([]);
    });
  });

  it('goes on page by page, and has events of all of them in order', async () => {
    const { found, asked } = await ask([[event('VERIFIED', 0)], [], [event('SENT', 1), event('PENDING', 2)]]);
    expect(found.ok && found.value.map(({ state }) => state)).toEqual(['PENDING', 'SENT', 'VERIFIED']);
    expect(asked.map(({ before }) => before)).toEqual([
      undefined,
      { stream: 'S1', position: 1, index: 0 },
      { stream: 'S1', position: 2, index: 0 },
    ]);
  });

  it('is two hours of the log for one that nobody submitted, and the life of one for what has no end', async () => {
    const unused = await ask([[]]);
    expect(Math.max(...unused.asked.map(({ to }) => to)) - drawn).toBe(2 * HOUR_MS);
    const open = await ask([[event('PENDING', 0)]]);
    expect(Math.max(...open.asked.map(({ to }) => to)) - drawn).toBe(26 * HOUR_MS);
    const whole = await ask([[event('REJECTED', 0)]]);
    expect(whole.asked).toHaveLength(1);
  });

  it('ends with a refusal where a log has no end', async () => {
    const { found, asked } = await ask(Array.from({ length: 10_000 }, () => []));
    expect(found.ok).toBe(false);
    expect(asked).toHaveLength(TC_PAST_QUESTIONS);
  });
});
