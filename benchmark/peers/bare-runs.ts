/**
 * Ceilings of runs: the messages of their logs and nothing else, each on the subject of its run, behind the one before
 * and under an identifier of its own, by the same client with the same depth.
 */

import { headers as newHeaders } from 'nats';
import { type BareBus, connectBare } from '../bare-bus.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';
import { runId } from '../run-program.ts';

interface Publish {
  /** Bodies of the messages of one run. */
  readonly bodies: readonly string[];
  readonly runs: number;
  readonly open: number;
}

let bus: BareBus;

async function start(address: BusAddress): Promise<void> {
  bus = await connectBare(address);
}

/** The messages of `runs` runs, `open` at once; the ms it took. */
async function publish({ bodies, runs, open }: Publish): Promise<number> {
  const messages = bodies.map((body) => Buffer.from(body));
  const start = performance.now();
  let begun = 0;
  const next = async (): Promise<void> => {
    while (begun < runs) {
      begun += 1;
      await publishOne(runId(), messages);
    }
  };
  await Promise.all(Array.from({ length: open }, next));
  return performance.now() - start;
}

async function publishOne(run: string, messages: readonly Buffer[]): Promise<void> {
  let last = 0;
  for (const [index, message] of messages.entries()) {
    const headers = newHeaders();
    headers.set('Mcs-Epoch', '1');
    const ack = await bus.jetstream.publish(`bench.run.${run}`, message, {
      msgID: `${run}-${index + 1}`,
      expect: { lastSubjectSequence: last },
      headers,
    });
    last = ack.seq;
  }
}

answerCalls({ start, publish });
