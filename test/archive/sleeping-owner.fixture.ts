/** `node --import tsx sleeping-owner.fixture.ts FOLDER`: an owner that stops itself in front of the rename of its segment. */

import { writeSync } from 'node:fs';
import { Archive } from '../../archive/archive.ts';
import { disk } from '../../archive/disk.ts';
import type { FileSystem } from '../../archive/file-system.ts';
import { workHere } from '../../archive/workshop.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { blockOf, HOUR, messageOf, PLATFORM } from './values.ts';

const [, , folder] = process.argv;
const say = (line: string): void => void writeSync(1, `${line}\n`);
const sleepy: FileSystem = Object.assign({}, disk, {
  rename: (from: string, to: string) => {
    if (to.endsWith('/1-1')) {
      say('sleeps');
      process.kill(process.pid, 'SIGSTOP');
    }
    disk.rename(from, to);
  },
});
const archive = await Archive.open(workHere(folder!, sleepy), {
  stream: 'S1',
  clock: new ManualClock(HOUR),
  lost: ({ message }) => say(message),
});
const rows = [...Array(10).keys()].map((n) => ({ ground: HOUR + n, cells: [1] }));
await archive.append(messageOf(1, [blockOf([2], rows)], { storedMs: HOUR }), PLATFORM);
await archive.flush();
