/** A thread of the archive: does what it is asked, in its order. */

import { parentPort, workerData } from 'node:worker_threads';
import { disk } from './disk.ts';
import { Work } from './work.ts';
import { doneOrder, type Order } from './workshop.ts';

const work = new Work(disk, workerData as string);

parentPort?.on('message', (order: Order) => parentPort?.postMessage(doneOrder(work, order)));
