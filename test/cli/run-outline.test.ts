/** What `mcs run check` prints of a procedure. */

import { expect, it } from 'vitest';
import { outlineLines } from '../../cli/run-outline.ts';
import type { Outline } from '../../mission/procedure/outline.ts';

const EVIL = 'a\u001b]0;owned\u0007\u009b31m\r\nb';

it('shows no control character of a document, and each text on one line', () => {
  const outline: Outline = {
    procedure: 'look',
    library: 'ops@1.0.0',
    description: EVIL,
    draft: false,
    environments: undefined,
    roles: [{ name: 'sat', platform: 'box@1.0.0' }],
    inputs: [{ name: 'note', type: 'string', description: EVIL, default: EVIL }],
    sends: false,
    changesState: false,
    hazardous: [],
    transfers: [],
    longestMs: 0,
    questions: [{ path: 's', prompt: EVIL, role: EVIL }],
    lines: [{ kind: 'statement', depth: 0, path: 's', text: `log "${EVIL}"`, longestMs: 0 }],
  };
  const lines = outlineLines(outline);
  expect(lines.length).toBe(7);
  for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
});
