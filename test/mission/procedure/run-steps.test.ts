/** The steps of a program as a list. */

import { describe, expect, it } from 'vitest';
import type { ProgramNode } from '../../../contract/program.ts';
import { stepsOf } from '../../../mission/procedure/run-steps.ts';

const leaf = (path: string): ProgramNode => ({
  kind: 'step',
  path,
  attempts: 1,
  delayMs: 0,
  statements: [{ kind: 'wait', ms: 1 }],
});

describe('the steps of a run', () => {
  it('are all there in the order they are walked, calls with what they hold', () => {
    const call: ProgramNode = {
      kind: 'call',
      path: 'fetch/shed',
      procedure: 'shed',
      library: 'ops@1.0.0',
      targets: {},
      inputs: {},
      steps: [leaf('fetch/shed/#1')],
    };
    const group: ProgramNode = {
      kind: 'step',
      path: 'fetch',
      attempts: 2,
      delayMs: 5,
      steps: [leaf('fetch/#1'), call],
    };
    expect(stepsOf({ steps: [leaf('#1'), group] })).toEqual([
      { path: '#1', kind: 'step', if_failed: false },
      { path: 'fetch', kind: 'group', if_failed: false },
      { path: 'fetch/#1', kind: 'step', if_failed: false },
      { path: 'fetch/shed', kind: 'call', if_failed: false, procedure: 'shed', library: 'ops@1.0.0' },
      { path: 'fetch/shed/#1', kind: 'step', if_failed: false },
    ]);
  });

  it('marks what runs only after a failure, however deep', () => {
    const failed: ProgramNode = {
      kind: 'if_failed',
      steps: [{ kind: 'step', path: 'mend', attempts: 1, delayMs: 0, steps: [leaf('mend/#1')] }],
    };
    expect(stepsOf({ steps: [leaf('a'), failed, leaf('b')] }).map(({ if_failed }) => if_failed)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
