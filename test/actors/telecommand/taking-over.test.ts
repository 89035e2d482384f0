/** What a new owner finds of telecommands whose submissions are lost, read from their histories alone. */

import { describe, expect, it } from 'vitest';
import { cutBy, orphans } from '../../../actors/telecommand/taking-over.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { drawnAt } from '../../../contract/telecommand-id.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { idOf, obliging } from './lane-world.ts';
import { LogBus } from './log-bus.ts';

const AT = '2026-01-01T00:00:00.000Z';
const WENT_BACK = { streams: new Set<string>(), since: 0, until: 1_000 };

async function stored(bus: LogBus, n: number, events: readonly object[], begun?: object): Promise<void> {
  const about = subject.tcEvent('sat1', idOf(n));
  const headers = begun === undefined ? {} : { [header.begun]: JSON.stringify(begun) };
  for (const event of events) {
    const body = Buffer.from(JSON.stringify({ tc: idOf(n), at: AT, ...event }));
    await bus.append(streams.telecommandEvents, about, body, { headers });
  }
}

describe('taking-over.R3 telecommands of which nobody has the submission any more', () => {
  it('are those that were taken up, have no end, and are in nobody’s hands, as their first event says', async () => {
    const bus = new LogBus();
    obliging(bus, new ManualClock(0));
    const telecommand = { component: 'battery', instance: '2', telecommand: 'heat' };
    const begun = { changesState: false, verifyWithinMs: 9_000, refused: false };
    await stored(bus, 1, [{ state: 'PENDING', telecommand, by: 'ada', run: 'r1', step: 'warm' }], begun);
    await stored(bus, 2, [{ state: 'PENDING' }, { state: 'REJECTED' }]);
    await stored(bus, 3, [{ state: 'PENDING' }]);
    await stored(bus, 4, [{ state: 'ENCODED' }]);
    await bus.append(streams.telecommandEvents, subject.tcEvent('sat1', idOf(5)), Buffer.from('garbage'));
    await stored(bus, 6, [{ state: 'PENDING' }, { state: 'ENCODED' }]);
    const found = await orphans(bus, 'sat1', WENT_BACK, (id) => id === idOf(3));
    expect(found).toEqual([
      {
        id: idOf(1),
        target: 'sat1',
        ...telecommand,
        at: Date.parse(AT),
        changesState: false,
        verifyWithinMs: 9_000,
        by: 'ada',
        run: 'r1',
        step: 'warm',
      },
      // Of an event that names nothing the careful reading: it may have changed something.
      {
        id: idOf(6),
        target: 'sat1',
        component: '',
        telecommand: '',
        at: Date.parse(AT),
        changesState: true,
        verifyWithinMs: null,
      },
    ]);
  });
});

describe('why a telecommand cannot go on', () => {
  const DAY_MS = 24 * 3_600_000;
  const drawn = drawnAt(idOf(1));
  const standing = (fold: object) =>
    ({ fold: { revision: 0, ...fold }, unreadable: undefined, isCut: false }) as never;
  const cut = (fold: object, lostUntil: number, wentBack?: object) =>
    cutBy({ at: drawn, id: idOf(1) }, standing(fold), { wentBack, lostUntil } as never);

  it.each([
    ['in the moment before the loss', 0, true],
    ['a millisecond behind it', -1, false],
    ['a day before it, less a millisecond', DAY_MS - 1, true],
    ['a day before it', DAY_MS, false],
  ])('taking-over.R4 it was drawn %s', (_, behindMs, isCut) => {
    expect(cut({}, drawn + behindMs) !== undefined).toBe(isCut);
  });

  it('taking-over.R4 not where a gateway knows its frame', () => {
    for (const state of ['ENCODED', 'SENT'])
      expect(cut({ state, revision: 2, frame: 'c0' }, drawn)).toBeUndefined();
  });

  it('taking-over.R6 an ENCODED without the PENDING before it, and taking-over.R5 one that names no frame', () => {
    expect(cut({ state: 'ENCODED', revision: 1, frame: 'c0' }, 0)).toContain('a part of its history is lost');
    expect(cut({ state: 'ENCODED', revision: 2 }, 0)).toContain('names no frame');
    expect(cut({ state: 'ENCODED', revision: 2, frame: 'c0' }, 0)).toBeUndefined();
  });

  it('taking-over.R2 says which streams went back', () => {
    const until = drawn + 1;
    const streamsBack = new Set(['TC_EVENTS', 'TC_COMMANDS']);
    expect(cut({ state: 'PENDING' }, 0, { streams: streamsBack, since: 0, until })).toBe(
      'the bus went back in time, and what it held of it is lost (TC_EVENTS, TC_COMMANDS)',
    );
    expect(cut({ state: 'PENDING' }, 0, { streams: new Set(), since: 0, until })).toBe(
      'the bus went back in time, and what it held of it is lost',
    );
    expect(cut({ state: 'PENDING' }, drawn)).toContain('the bus lost messages');
  });
});
