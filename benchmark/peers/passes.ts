/** Under measure: snapshots of passes, checked, merged and written as the API does. */

import { openBus } from '../../bus/nats-bus.ts';
import type { PassSnapshot } from '../../contract/pass.ts';
import { PassBook } from '../../messaging/pass-book.ts';
import { PassWriter } from '../../messaging/pass-writes.ts';
import { replaceWindow } from '../../mission/pass/merge.ts';
import { realClock } from '../../supervision/clock.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';
import { silentLog } from '../silent-log.ts';

let writer: PassWriter;
let snapshots = 0;

async function start(address: BusAddress): Promise<void> {
  const bus = openBus({ ...address, name: 'passes', log: silentLog });
  // As a process of the API has it.
  const passes = new PassBook({ bus, clock: realClock, log: silentLog });
  await passes.ready;
  writer = new PassWriter({ bus, log: silentLog, passes });
}

/** Writes a snapshot, every pass of it again; the ms it took. */
async function write(snapshot: PassSnapshot): Promise<number> {
  snapshots += 1;
  const author = { feeder: 'fds', at: new Date(snapshots).toISOString() };
  const begin = performance.now();
  await writer.write(snapshot.target, (passes) => replaceWindow(passes, snapshot, author));
  return performance.now() - begin;
}

answerCalls({ start, write });
