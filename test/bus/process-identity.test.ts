/** process-identity.I1 and I2: what a pid says, and to whom. */

import { execFileSync, spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { identityOf, isRunning } from '../../bus/process-identity.ts';

const own = identityOf(process.pid);
/** Above the largest number the kernel gives. */
const NOBODY = 4_194_305;

it.each([
  ['this process', own, true],
  ['a pid that nobody has', { ...own, pid: NOBODY }, false],
  ['a pid that came round again', { ...own, started: '1' }, false],
  ['the same pid of another namespace', { ...own, space: `${own.space}0` }, undefined],
  ['a pid that nobody has here, of another namespace', { ...own, pid: NOBODY, space: 'other' }, undefined],
  ['what an earlier release wrote', { pid: own.pid }, undefined],
])('says of %s what it can know', (_what, identity, lives) => {
  expect(isRunning(identity)).toBe(lives);
});

const mayUnshare = spawnSync('unshare', ['-p', '-f', 'true']).status === 0;

it.runIf(mayUnshare)(
  'a process in a PID namespace of its own has another space (process-identity.I1)',
  () => {
    const text = execFileSync('unshare', ['-p', '-f', '--mount-proc', 'readlink', '/proc/self/ns/pid'], {
      encoding: 'utf8',
    });
    expect(own.space).not.toContain(text.trim());
  },
);
