import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { isOver, type Recorded, stateOf } from '../../../actors/telecommand/history.ts';
import { restored as restoredFrom } from '../../../actors/telecommand/restored.ts';
import { standingOf } from '../../../actors/telecommand/standing.ts';
import type { TcState } from '../../../contract/telecommand-state.ts';
import { type TelecommandInput, telecommandMachine } from '../../../machines/telecommand/telecommand.ts';
import type { Envelope, Stored } from '../../../ports/entity.ts';

const AT = 1_000_000;
const INPUT: TelecommandInput = {
  id: '01J0000000000000000000000A',
  target: 'sat1',
  component: 'obc',
  telecommand: 'act',
  changesState: true,
  verifyWithinMs: 60_000,
  at: AT,
};

/** The events of a history, 100 ms and two positions of the stream apart. */
function historyOf(states: readonly (TcState | 'ECHO')[]): Recorded[] {
  return states.map((state, n) => ({
    seq: 11 + 2 * n,
    epoch: 1,
    event: { tc: INPUT.id, state, at: new Date(AT + 100 * n).toISOString() },
    frame: state === 'ENCODED' ? 'c0ffee' : undefined,
    reference: state === 'ENCODED' ? 'ref' : undefined,
    begun: undefined,
    failure: undefined,
    handed: undefined,
  }));
}

function restored(input: TelecommandInput, recorded: Recorded[], now: number): Stored {
  return restoredFrom(
    input,
    standingOf({ recorded, last: recorded.at(-1)!.seq, unreadable: undefined }),
    now,
  );
}

const LEGAL: readonly (readonly (TcState | 'ECHO')[])[] = [
  ['PENDING', 'REJECTED'],
  ['PENDING', 'ENCODE_FAILED'],
  ['PENDING', 'ENCODED', 'SEND_FAILED', 'ECHO'],
  ['PENDING', 'ENCODED', 'SENT', 'COMPLETE', 'ECHO'],
  ['PENDING', 'ENCODED', 'SENT', 'ECHO', 'VERIFIED'],
  ['PENDING', 'ENCODED', 'SENT', 'VERIFIED', 'ECHO'],
  ['PENDING', 'ENCODED', 'SENT', 'VERIFY_FAILED'],
  ['PENDING', 'ENCODED', 'SENT', 'ECHO', 'ECHO', 'VERIFY_TIMEOUT'],
];
const PREFIXES = [...new Set(LEGAL.flatMap((all) => all.map((_, n) => all.slice(0, n + 1).join(' '))))];

const KEY = `telecommand:sat1.${INPUT.id}`;
const TIMER = 'xstate.after.verificationTimeout.telecommand.SENT';

/** What a new owner must find, by the last state of the chain. */
function expected(prefix: readonly string[]): Pick<Envelope, 'effects' | 'timers'> & { value: unknown } {
  const revision = prefix.length;
  const sentAt = AT + 100 * prefix.indexOf('SENT');
  const key = (n: number): string => `${KEY}:${revision}:${n}`;
  const state = prefix.findLast((each) => each !== 'ECHO');
  switch (state) {
    case 'PENDING':
      return {
        value: { PENDING: 'checking' },
        effects: [{ key: key(0), effect: { type: 'effect.check' } }],
        timers: [],
      };
    case 'ENCODED': {
      const effect = { type: 'effect.send', frame: 'c0ffee', recovering: { since: AT + 100 } };
      return { value: 'ENCODED', effects: [{ key: key(0), effect }], timers: [] };
    }
    case 'SENT':
      return {
        value: { SENT: 'verifying' },
        effects: [
          { key: key(0), effect: { type: 'effect.release' } },
          { key: key(1), effect: { type: 'effect.verify', sentAt, reference: 'ref' } as never },
        ],
        timers: [{ id: TIMER, event: { type: TIMER }, dueAt: sentAt + 60_000 }],
      };
    default:
      return { value: state, effects: [], timers: [] };
  }
}

describe('a telecommand restored from its history (telecommand/history.G3)', () => {
  it.each(PREFIXES)('%s: state, effects under their keys, deadline, position', (text) => {
    const prefix = text.split(' ') as (TcState | 'ECHO')[];
    const history = historyOf(prefix);
    const { envelope, position } = restored(INPUT, history, AT);
    const { value, effects, timers } = expected(prefix);
    expect((envelope.snapshot as { value: unknown }).value).toEqual(value);
    expect(envelope.effects).toEqual(effects);
    expect(envelope.timers).toEqual(timers);
    expect(envelope.revision).toBe(prefix.length);
    expect(position).toBe(history.at(-1)!.seq);
  });

  it.each(PREFIXES)('%s: the chart takes the snapshot, and a final one takes nothing more (O3)', (text) => {
    const history = historyOf(text.split(' ') as TcState[]);
    const { envelope } = restored(INPUT, history, AT);
    const actor = createActor(telecommandMachine, { snapshot: envelope.snapshot as never, input: INPUT });
    const emitted: unknown[] = [];
    actor.on('*', (each) => emitted.push(each));
    actor.start();
    expect(emitted).toEqual([]);
    expect(actor.getSnapshot().status).toBe(isOver(history) ? 'done' : 'active');
    actor.stop();
  });

  it('knows the state of a history by its chain, not by its echoes (telecommand.L4)', () => {
    expect(stateOf(historyOf(['PENDING', 'ENCODED', 'SENT', 'ECHO']))).toBe('SENT');
    expect(stateOf([])).toBeUndefined();
    expect(isOver(historyOf(['PENDING', 'ENCODED', 'SENT', 'VERIFIED', 'ECHO']))).toBe(true);
  });

  it('leaves a window that ended while nobody looked the time to be read', () => {
    const late = AT + 3_600_000;
    const { envelope } = restored(INPUT, historyOf(['PENDING', 'ENCODED', 'SENT']), late);
    expect(envelope.timers[0]!.dueAt).toBe(late + 5_000);
  });

  it('sets no deadline where the catalogue declares no verification', () => {
    const { envelope } = restored(
      { ...INPUT, verifyWithinMs: null },
      historyOf(['PENDING', 'ENCODED', 'SENT']),
      AT,
    );
    expect(envelope.timers).toEqual([]);
  });
});
