/** The thread of tables: does what it is asked, in its order. */

import { parentPort } from 'node:worker_threads';
import { type TableOrder, TableWork } from './table-work.ts';

const work = new TableWork();

parentPort?.on('message', (order: TableOrder) => {
  const reply = work.do(order);
  if (reply !== undefined) parentPort?.postMessage(reply);
});
