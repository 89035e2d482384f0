/**
 * Generator: sends samples that cross a limit to a gateway over UDP, and receives the alarms of them on a WebSocket.
 * Each datagram is a space packet of one measure, so that the n-th packet of a page is transition n of its alarm.
 *
 * G1. Open loop: the latency of a sample counts from the moment it was due, whenever it was really sent.
 */

import { createSocket } from 'node:dgram';
import WebSocket from 'ws';
import { limitPacket, NOMINAL, OUTSIDE } from '../limit-mission.ts';
import { answerCalls } from '../peer-side.ts';
import { percentile } from '../spread.ts';

interface Watched {
  readonly udp: number;
  readonly http: number;
  readonly path: string;
  /** Pages that cross in turn; the one behind them shows that everybody is there. */
  readonly pages: number;
}

interface Steady {
  readonly perSecond: number;
  readonly ms: number;
}

interface Told {
  readonly instance: string;
  readonly seq: number;
}

const PROBE_MS = 100;
const LOOK_MS = 5;
/** An alarm that takes longer never comes. */
const PATIENCE_MS = 60_000;

const socket = createSocket('udp4');
/** When the sample of a transition was due, by page and number. */
const dueAt = new Map<string, number>();
const latencies: number[] = [];
/** Crossings of each page so far. */
let crossings: number[] = [];
let udp = 0;
let heard = 0;

/** Resolves when a sample has come out as an alarm. */
async function start({ udp: port, http, path, pages }: Watched): Promise<void> {
  udp = port;
  crossings = Array.from({ length: pages }, () => 0);
  const watch = new WebSocket(`ws://127.0.0.1:${http}${path}`);
  watch.on('message', (data: Buffer) => note(JSON.parse(data.toString()) as Told));
  await new Promise((resolve, reject) => {
    watch.once('open', resolve);
    watch.once('error', reject);
  });
  const end = performance.now() + PATIENCE_MS;
  while (heard === 0) {
    if (performance.now() > end) throw new Error('no sample came out as an alarm');
    send(pages + 1, OUTSIDE);
    await pause(PROBE_MS);
  }
}

function note({ instance, seq }: Told): void {
  heard += 1;
  const name = `${instance}-${seq}`;
  const due = dueAt.get(name);
  if (due === undefined) return;
  dueAt.delete(name);
  latencies.push(performance.now() - due);
}

/** Sends crossings at a steady rate; percentiles of the time from the moment due to the alarm. */
async function steady({ perSecond, ms }: Steady): Promise<{ count: number; p50Ms: number; p99Ms: number }> {
  latencies.length = 0;
  const count = Math.floor((perSecond * ms) / 1_000);
  const begun = performance.now();
  for (let n = 0; n < count; n += 1) {
    const due = begun + (n * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    cross(n % crossings.length, due);
  }
  const end = performance.now() + PATIENCE_MS;
  while (dueAt.size > 0 && performance.now() < end) await pause(LOOK_MS);
  if (dueAt.size > 0) throw new Error(`${dueAt.size} of ${count} alarms were not received`);
  return { count, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) };
}

function cross(index: number, due: number): void {
  const crossing = crossings[index]! + 1;
  crossings[index] = crossing;
  dueAt.set(`${index + 1}-${crossing}`, due);
  send(index + 1, crossing % 2 === 1 ? OUTSIDE : NOMINAL);
}

function send(page: number, value: number): void {
  socket.send(limitPacket(page, value, 1), udp, '127.0.0.1');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

answerCalls({ start, steady });
