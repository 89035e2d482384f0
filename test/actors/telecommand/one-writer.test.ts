import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHistory } from '../../../actors/telecommand/history.ts';
import { createHistoryStore } from '../../../actors/telecommand/history-store.ts';
import type { TelecommandInput, TelecommandRecord } from '../../../machines/telecommand/telecommand.ts';
import type { Commit, Store } from '../../../ports/entity.ts';
import { startNats, type TestNats } from '../../support/nats.ts';

const INPUT: TelecommandInput = {
  id: '01J0000000000000000000000A',
  target: 'sat1',
  component: 'obc',
  telecommand: 'act',
  changesState: true,
  verifyWithinMs: null,
  at: 1_000_000,
};
const CELL = `sat1.${INPUT.id}`;

let nats: TestNats;

beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());

/** An owner with a connection of its own. */
async function owner(): Promise<Store> {
  const bus = await nats.connected();
  return createHistoryStore({ bus, inputOf: () => INPUT, now: () => 1_000_000, appended: () => undefined });
}

function commit(epoch: number, position: number, ...states: TelecommandRecord['state'][]): Commit {
  return {
    id: CELL,
    epoch,
    position,
    records: states.map((state, n) => ({ type: 'record', state, at: 1_000_000 + n })),
    envelope: () => {
      throw new Error('a log keeps no envelope');
    },
    final: false,
  };
}

describe('two owners of one telecommand on a real bus (O1)', () => {
  it('only the one that knows the last event writes: the other is fenced and nothing of it is stored', async () => {
    const [asleep, taker] = [await owner(), await owner()];
    const pending = await asleep.commit(commit(1, 0, 'PENDING'));
    expect(pending.outcome).toBe('committed');
    const position = pending.outcome === 'committed' ? pending.position : 0;

    // The taker has read PENDING; the other wakes up later and goes on from where it stood, to another state.
    expect((await taker.commit(commit(2, position, 'ENCODED'))).outcome).toBe('committed');
    expect(await asleep.commit(commit(1, position, 'REJECTED'))).toEqual({ outcome: 'fenced' });
    expect(await asleep.commit(commit(1, position, 'ENCODED'))).toEqual({ outcome: 'fenced' });
    expect(await asleep.commit(commit(1, 0, 'PENDING', 'REJECTED'))).toEqual({ outcome: 'fenced' });

    const { recorded: history } = await readHistory(await nats.connected(), INPUT.target, INPUT.id);
    expect(history.map(({ event }) => event.state)).toEqual(['PENDING', 'ENCODED']);
  });
});
