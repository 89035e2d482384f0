/** The supervision tree as rows, and what in it needs attention. */

import { describe, expect, it } from 'vitest';
import { rowsOf, troubleOf } from '../../console/inspect/tree-rows.ts';
import type { ChildView } from '../../contract/inspection.ts';
import type { InspectTree } from '../../contract/inspector.ts';
import { processView } from '../http/inspect/fake-process.ts';

function tree(more: Partial<InspectTree> = {}): InspectTree {
  return { at: 1, bus: 'connected', processes: [processView('p1')], silent: [], ...more };
}

function withTrouble(...trouble: ChildView[]): InspectTree {
  const view = processView('p1');
  const [role] = view.roles;
  const roles = [{ ...role!, kinds: [{ ...role!.kinds[0]!, trouble }] }];
  return tree({ processes: [{ ...view, roles }] });
}

const broken: ChildView = { name: 'x', state: 'quarantined', crashes: 5, reason: 'the chart is broken' };

describe('rows of the tree', () => {
  it('has the outer before the inner, each with its level', () => {
    expect(rowsOf(tree()).map(({ name, level, about }) => [level, name, about])).toEqual([
      [1, 'p1', 'up 1 min 0 s'],
      [2, 'executor', 'running'],
      [3, 'lane', '1 owned'],
      [4, 'sat1', 'running'],
      [3, 'door v1', '1 live'],
    ]);
  });

  it('tree-rows.R1 a closed branch shows the worst of what is below it', () => {
    const rows = rowsOf(withTrouble(broken, { ...broken, name: 'y', state: 'restarting' }));
    const health = Object.fromEntries(rows.map((row) => [row.name, row.health]));
    expect(health).toMatchObject({
      p1: 'broken',
      executor: 'broken',
      'door v1': 'broken',
      lane: 'ok',
      y: 'trouble',
    });
  });

  it('opens the entity of a cell, and finds by kind', () => {
    const rows = rowsOf(withTrouble(broken));
    expect(rows.find(({ name }) => name === 'x')?.entity).toEqual({ kind: 'door', id: 'x' });
    expect(rows.find(({ name }) => name === 'door v1')?.kind).toBe('door');
  });

  it('lists a silent process among the others', () => {
    const rows = rowsOf(tree({ silent: [{ instance: 'p2', why: 'slow', seenAt: 1 }] }));
    expect(rows.at(-1)).toMatchObject({ name: 'p2', level: 1, health: 'silent', about: 'slow' });
  });
});

describe('what needs attention', () => {
  it('is the message bus where something of it is lost, once, with the latest time that a process says', () => {
    const processes = [1_000, 3_000].map((lostUntil, n) => ({ ...processView(`p${n}`), lostUntil }));
    const found = troubleOf(tree({ processes }));
    expect(found.map(({ name, state }) => [name, state])).toEqual([['the message bus', 'lost']]);
    expect(found[0]?.reason).toContain('1970-01-01T00:00:03.000Z');
  });

  it('is nothing while everything runs', () => {
    expect(troubleOf(tree())).toEqual([]);
  });

  it('names what to release with its supervisor, the quarantined first', () => {
    const silent = [{ instance: 'p2', why: 'gone' as const, seenAt: 1 }];
    const { processes } = withTrouble({ ...broken, name: 'y', state: 'restarting' }, broken);
    const found = troubleOf(tree({ processes, silent }));
    expect(found.map(({ name, state }) => [name, state])).toEqual([
      ['x', 'quarantined'],
      ['p2', 'silent'],
      ['y', 'restarting'],
    ]);
    expect(found[0]).toMatchObject({
      instance: 'p1',
      supervisor: 'process/executor/door',
      reason: 'the chart is broken',
      crashes: 5,
      entity: { kind: 'door', id: 'x' },
    });
    expect(found[1]?.supervisor).toBeUndefined();
  });

  it('takes roles and partitions from the supervisor above each', () => {
    const view = processView('p1');
    const role = { ...view.roles[0]!, state: 'quarantined' as const };
    const owned = [{ ...role.partitions[0]!.owned[0]!, state: 'quarantined' as const }];
    const roles = [{ ...role, partitions: [{ ...role.partitions[0]!, owned }] }];
    const found = troubleOf(tree({ processes: [{ ...view, roles }] }));
    expect(found.map(({ name, supervisor }) => [name, supervisor])).toEqual([
      ['executor', 'process'],
      ['sat1', 'process/executor/lane'],
    ]);
  });
});
