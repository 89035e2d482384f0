/** `mcs actor` as lines of text. */

import { describe, expect, it } from 'vitest';
import { entityLines, listedLines } from '../../cli/actor-line.ts';
import type { EntityView } from '../../contract/inspection.ts';

const AT = 1_767_323_045_678;
const ID = 'sat1.01J5ZK3M8QW7V9XH2C4T6R8YAB';
const timer = { event: 'xstate.after.verificationTimeout.telecommand.SENT', dueAt: AT + 57_000 };
const stored = {
  at: AT - 3_000,
  epoch: 17,
  chartVersion: 1,
  state: 'SENT.verifying',
  revision: 3,
  position: 1_204,
  timers: [timer],
  effects: [{ key: `telecommand:${ID}:3:1`, type: 'effect.verify' }],
};
const telecommand = {
  kind: 'telecommand',
  id: ID,
  target: 'sat1',
  state: 'SENT.verifying',
  revision: 3,
  at: AT - 4_000,
};
const entity: EntityView = {
  ...telecommand,
  status: 'live',
  instance: 'ops-1',
  epoch: 18,
  supervisor: 's',
  stored,
  chart: { kind: 'telecommand', version: 1 },
  active: [],
  accepts: [],
  refuses: [],
  context: { target: 'sat1', note: 'x\u001b[2J' },
  timers: [timer],
  effects: [],
};
const found = { more: 0, complete: true, silent: [], at: AT };

describe('mcs actor list', () => {
  it('a schedule that no process has is at rest, unless one is silent', () => {
    const schedule = { kind: 'schedule', id: 's1', status: 'loading', state: 'scheduled' } as const;
    const entities = [{ ...schedule, revision: 1, at: AT - 4_000 }];
    const listed = (silent: readonly { instance: string; why: 'no answer' }[]) =>
      listedLines({ ...found, entities, silent } as never)[1];
    expect(listed([])).toMatch(/schedule\/s1 .* at rest$/);
    expect(listed([{ instance: 'ops-1', why: 'no answer' }])).not.toMatch(/at rest/);
  });

  it('says what lives and where, and dates what comes from a store', () => {
    const run = {
      kind: 'run',
      id: 'r1',
      label: 'tune',
      status: 'loading',
      state: 'waitingDecision',
    } as const;
    const entities = [
      { ...telecommand, status: 'live' as const, instance: 'ops-1' },
      { ...telecommand, id: 'sat1.B', status: 'quarantined' as const, instance: 'ops-1', state: '' },
      { ...run, revision: 7, at: AT - 130_000, stored: { ...stored, at: AT - 3_000 } },
      { ...telecommand, id: 'sat1.C', status: 'finished' as const, state: 'VERIFIED' },
      { ...telecommand, id: 'sat1.D', status: 'loading' as const },
      { ...telecommand, id: 'sat1.E', status: 'loading' as const, stored },
    ];
    expect(listedLines({ ...found, entities })).toEqual([
      'KIND/ID                                      STATE            REVISION  LAST       WHERE',
      'telecommand/sat1.01J5ZK3M8QW7V9XH2C4T6R8YAB  SENT.verifying   3         4.0 s ago  ops-1',
      'telecommand/sat1.B                           -                3         4.0 s ago  ops-1, quarantined',
      'run/r1  tune                                 waitingDecision  7         2 min ago  at rest, stored 3.0 s ago',
      'telecommand/sat1.C                           VERIFIED         3         4.0 s ago  over',
      'telecommand/sat1.D                           SENT.verifying   3         4.0 s ago  in its log only',
      'telecommand/sat1.E                           SENT.verifying   3         4.0 s ago  stored 3.0 s ago, no process has it',
    ]);
  });

  it('names the process that is silent, and what is left out', () => {
    const entities = [{ ...telecommand, status: 'loading' as const, stored }];
    const silent = [{ instance: 'ops-2', why: 'gone' as const, seenAt: 1 }];
    const lines = listedLines({ ...found, entities, silent, more: 3, complete: false });
    expect(lines[1]).toMatch(/stored 3\.0 s ago, its process is silent$/);
    expect(lines.slice(2)).toEqual([
      'and 3 more: narrow the search, or ask for more with --limit',
      'older ones were not looked at',
      'ops-2 does not answer (gone)',
    ]);
    expect(listedLines({ ...found, entities: [] })).toEqual(['nothing that matches']);
  });
});

describe('mcs actor show', () => {
  it('says where it lives, what it waits for, and what is stored of it', () => {
    expect(entityLines({ entity, at: AT })).toEqual([
      `telecommand/${ID}`,
      '  state      SENT.verifying',
      '  where      ops-1 (live), epoch 18',
      '  target     sat1',
      '  revision   3, last 4.0 s ago',
      '  deadlines  verificationTimeout in 57 s',
      '  stored     3.0 s ago: its log up to position 1204',
      '             SENT.verifying, revision 3, epoch 17, chart version 1',
      '             1 deadline, 1 pending effect',
      '  context    target "sat1"',
      '             note "x\\u001b[2J"',
    ]);
  });

  it('says that no process has it, and of an alarm that the record is all there is', () => {
    const { position: _, ...record } = stored;
    const alone = { ...entity, instance: '', status: 'loading' as const, stored: record, context: null };
    const lines = entityLines({ entity: alone, at: AT });
    expect(lines[2]).toBe('  where      stored 3.0 s ago, no process has it');
    expect(lines).toContain('  stored     3.0 s ago: its record');
  });
});
