/** The tree of a process as data: what errors say in it is bounded, so that the answer fits a message of the bus. */

import { expect, it } from 'vitest';
import { INSPECT_TEXT_CHARACTERS } from '../../../contract/limits/inspect.ts';
import { processView } from '../../../supervision/inspection/tree-view.ts';

it('cuts what an error says where nobody reads on', () => {
  const long = 'x'.repeat(2_000_000);
  const role = { role: 'api', state: 'quarantined', crashes: 3, reason: long, partitions: [], kinds: [] };
  const letter = { kind: 'door', id: 'x', at: 0, event: { type: 'door.opened' }, error: long };
  const view = processView({
    instance: 'p1',
    startedAt: 0,
    now: 0,
    tree: { draining: false, branches: () => [role] } as never,
    deadLetters: { count: 1, shown: [letter] } as never,
  });
  expect(view.roles[0]?.reason).toMatch(/^x+… \(\d+ more\)$/);
  expect(view.deadLetters.newest[0]?.error).toMatch(/^x+… \(\d+ more\)$/);
  expect(JSON.stringify(view).length).toBeLessThan(3 * INSPECT_TEXT_CHARACTERS);
});
