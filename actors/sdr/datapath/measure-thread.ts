/** The thread of `measure.ts`: compares what it is given, one after the other, and searches exhaustively. */

import { parentPort } from 'node:worker_threads';
import { measure } from '../../../radio/measure/measure.ts';
import type { MeasureOrder, MeasureReply } from './measure.ts';

parentPort?.on('message', ({ number, payload, captured, warmup }: MeasureOrder) => {
  parentPort?.postMessage(compared(number, () => measure(payload, captured, { warmup, exhaustive: true })));
});

function compared(number: number, compare: () => ReturnType<typeof measure>): MeasureReply {
  try {
    return { number, measured: compare() };
  } catch (error) {
    return { number, error: (error as Error).message };
  }
}
