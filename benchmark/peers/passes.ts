/** Under measure: snapshots of passes, checked, merged and written as the API does. */

import { openBus } from '../../bus/nats-bus.ts';
import type { PassSnapshot } from '../../contract/pass.ts';
import { PassWriter } from '../../messaging/pass-writes.ts';
import { replaceWindow } from '../../mission/pass/merge.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';
import { silentLog } from '../silent-log.ts';

let writer: PassWriter;
let snapshots = 0;

function start(address: BusAddress): void {
  const bus = openBus({ ...address, name: 'passes', log: silentLog });
  writer = new PassWriter({ bus, log: silentLog });
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
