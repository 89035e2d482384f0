/**
 * Generator: messages of recorded packets on the stream of a gateway, as fast as the bus takes them. Ground times rise
 * by a millisecond per packet over all rounds, so the last packet is known by its time.
 */

import { encodeBatch } from '../../contract/batch.ts';
import { type BareBus, connectBare } from '../bare-bus.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';
import { recordedPackets } from '../recording.ts';

interface Play {
  readonly subject: string;
  readonly messages: number;
  readonly packets: number;
  /** Ground time of the first packet. */
  readonly fromMs: number;
}

const WINDOW = 16;

let bus: BareBus;
let recorded: Buffer[] = [];

async function start(address: BusAddress): Promise<void> {
  bus = await connectBare(address);
  recorded = await recordedPackets();
}

async function play({ subject, messages, packets, fromMs }: Play): Promise<void> {
  let next = 0;
  const publishNext = async (): Promise<void> => {
    while (next < messages) {
      const message = next;
      next += 1;
      await bus.jetstream.publish(subject, messageOf(message * packets, packets, fromMs));
    }
  };
  await Promise.all(Array.from({ length: WINDOW }, publishNext));
}

function messageOf(first: number, packets: number, fromMs: number): Uint8Array {
  const numbers = Array.from({ length: packets }, (_, n) => first + n);
  return encodeBatch({
    at: numbers.map((number) => fromMs + number),
    frames: numbers.map((number) => recorded[number % recorded.length]!),
  });
}

answerCalls({ start, play });
