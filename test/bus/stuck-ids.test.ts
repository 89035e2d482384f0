/** bus/stuck-ids.B1, B2, B3: whoever refuses an id that an election lost is asked to hand over, and nobody else. */

import { beforeEach, describe, expect, it } from 'vitest';
import { StuckIds } from '../../bus/stuck-ids.ts';
import { BUS_HAND_OVER_AGAIN_MS, BUS_STUCK_IDS, BUS_STUCK_MS } from '../../contract/limits/bus.ts';
import { quiet } from '../support/nats.ts';

const FOLLOWER = { name: 'n2', current: true, active: 0.4e9 };
const AWAY = { name: 'n3', current: false, active: 9e9 };
const OFFLINE = { name: 'n3', current: false, active: 0.4e9, offline: true };
const LED = { cluster: { leader: 'n1', replicas: [FOLLOWER, AWAY] } };

let now: number;
let asked: string[];
let info: unknown;
let ids: StuckIds;

beforeEach(() => {
  now = 1_000;
  asked = [];
  info = LED;
  const ask = async (verb: string): Promise<never> => {
    asked.push(verb);
    if (info === undefined) throw new Error('nobody answers');
    return info as never;
  };
  ids = new StuckIds({ ask, log: quiet, now: () => now });
});

/** Refuses an id for as long, asked again as often as a write is; resolves when what was asked is answered. */
async function refusedFor(ms: number, id = 'one', stream = 'TM_FRAMES', everyMs = 250): Promise<void> {
  for (const end = now + ms; now <= end; now += everyMs) ids.refused(stream, id);
  await new Promise((resolve) => setImmediate(resolve));
}

const HAND_OVER = ['STREAM.INFO.TM_FRAMES', 'STREAM.LEADER.STEPDOWN.TM_FRAMES'];

describe('an id that the leader of a stream refuses as being stored', () => {
  it('is left to a leader that stores it in time', async () => {
    await refusedFor(BUS_STUCK_MS - 250);
    expect(asked).toEqual([]);
  });

  it('is stuck from then on, and the leader is asked to hand over once', async () => {
    await refusedFor(BUS_STUCK_MS + 2_000);
    expect(asked).toEqual(HAND_OVER);
  });

  it('is stuck of its own stream only, each of which is asked', async () => {
    for (let round = 0; round <= BUS_STUCK_MS; round += 250, now += 250) {
      ids.refused('TM_FRAMES', 'one');
      ids.refused('TC_EVENTS', 'one');
    }
    await refusedFor(0);
    expect(asked.filter((verb) => verb.startsWith('STREAM.LEADER'))).toEqual([
      'STREAM.LEADER.STEPDOWN.TM_FRAMES',
      'STREAM.LEADER.STEPDOWN.TC_EVENTS',
    ]);
  });

  it('is asked for again where the next leader refuses it too, not before the last hand-over had its time', async () => {
    await refusedFor(BUS_STUCK_MS);
    await refusedFor(BUS_HAND_OVER_AGAIN_MS - 500);
    expect(asked).toEqual(HAND_OVER);
    await refusedFor(750);
    expect(asked).toEqual([...HAND_OVER, ...HAND_OVER]);
  });

  it('is stuck as well where it is asked for seconds apart, as a lease is renewed', async () => {
    await refusedFor(8_000, 'one', 'TM_FRAMES', 4_000);
    expect(asked).toEqual(HAND_OVER);
  });

  it('begins again behind a pause in which another leader may have been elected', async () => {
    await refusedFor(BUS_STUCK_MS - 250);
    now += 5_001;
    await refusedFor(BUS_STUCK_MS - 250);
    expect(asked).toEqual([]);
  });

  it('begins again once it was stored, or met another answer', async () => {
    await refusedFor(BUS_STUCK_MS - 250);
    ids.over('TM_FRAMES', 'one');
    await refusedFor(BUS_STUCK_MS - 250);
    expect(asked).toEqual([]);
  });

  it.each([
    ['is cut off: nobody follows it', { cluster: { leader: 'n1', replicas: [AWAY, AWAY] } }],
    [
      'follows nobody but a server that is said to be away',
      { cluster: { leader: 'n1', replicas: [OFFLINE, AWAY] } },
    ],
    ['has one of four', { cluster: { leader: 'n1', replicas: [FOLLOWER, AWAY, AWAY, AWAY] } }],
    ['is alone', { cluster: { leader: 'n1', replicas: [] } }],
    ['is no cluster', {}],
    ['does not answer', undefined],
  ])('is left to the others where the leader %s', async (_, said) => {
    info = said;
    await refusedFor(BUS_STUCK_MS + 2_000);
    expect(asked).toEqual(['STREAM.INFO.TM_FRAMES']);
  });

  it('is not handed over for where it was stored while the leader was looked at', async () => {
    for (let ms = 0; ms <= BUS_STUCK_MS; ms += 250, now += 250) ids.refused('TM_FRAMES', 'one');
    ids.over('TM_FRAMES', 'one');
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual(['STREAM.INFO.TM_FRAMES']);
  });

  it('is one of a bounded number: those that nobody asks for any more are forgotten first', async () => {
    for (let n = 0; n < BUS_STUCK_IDS - 1; n += 1) ids.refused('TM_FRAMES', `old ${n}`);
    now += 5_500;
    await refusedFor(BUS_STUCK_MS - 250);
    ids.refused('TM_FRAMES', 'one more');
    await refusedFor(0);
    expect(asked).toEqual(HAND_OVER);
  });
});
