/**
 * Generator: launches runs and receives their logs, over a connection of its own. Submissions stand on the bus as the
 * API puts them there.
 */

import { headers as newHeaders } from 'nats';
import { type BareBus, connectBare } from '../bare-bus.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';
import { runId } from '../run-program.ts';

interface Burst {
  readonly ir: string;
  readonly config: string;
  readonly count: number;
  /** Runs in progress at once. */
  readonly open: number;
  /** The next one waits so long after the one before; default: not at all. */
  readonly everyMs?: number;
}

const FINISHED = Buffer.from('"event":"finished"');
/** A burst that takes longer has lost a run. */
const PATIENCE_MS = 120_000;

let bus: BareBus;
const waiting = new Map<string, () => void>();

async function start(address: BusAddress): Promise<void> {
  bus = await connectBare(address);
  bus.connection.subscribe('mcs.run.evt.*', { callback: (_error, { subject, data }) => hear(subject, data) });
  await bus.connection.flush();
}

function hear(subject: string, data: Uint8Array): void {
  if (Buffer.from(data.buffer, data.byteOffset, data.length).indexOf(FINISHED) < 0) return;
  const run = subject.slice('mcs.run.evt.'.length);
  waiting.get(run)?.();
  waiting.delete(run);
}

/** Launches `count` runs, `open` at once, and waits for the end of the last; the ms it took and one of the runs. */
async function burst({ ir, config, count, open, everyMs = 0 }: Burst): Promise<{ ms: number; run: string }> {
  const start = performance.now();
  let [launched, run] = [0, ''];
  const launchNext = async (): Promise<void> => {
    while (launched < count) {
      const early = start + launched * everyMs - performance.now();
      launched += 1;
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      run = runId();
      await launch(run, ir, config);
    }
  };
  await Promise.all(Array.from({ length: open }, launchNext));
  return { ms: performance.now() - start, run };
}

function launch(run: string, ir: string, config: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`run ${run} does not end`)), PATIENCE_MS);
    waiting.set(run, () => {
      clearTimeout(timer);
      resolve();
    });
    const headers = newHeaders();
    headers.set('Mcs-Config', config);
    const submission = Buffer.from(JSON.stringify({ run, ir }));
    bus.jetstream.publish('mcs.run.submit', submission, { msgID: run, headers }).catch(reject);
  });
}

answerCalls({ start, burst });
