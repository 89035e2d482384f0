/** What a process of the service and its bus take at one moment, as the system and nats-server itself report it. */

import { readdir, readFile } from 'node:fs/promises';
import type { Ground } from '../ground.ts';
import type { Peer } from '../peer.ts';

const MB = 1e6;
const KIB = 1_024;

export interface BusLook {
  readonly rssMb: number;
  /** What its garbage collector leaves. */
  readonly heapMb: number;
  readonly connections: number;
  readonly subscriptions: number;
  readonly consumers: number;
  /** Messages of each stream; of a bucket these are its keys, and what is left of removed ones. */
  readonly messages: Readonly<Record<string, number>>;
  readonly bytes: number;
}

interface StreamDetail {
  readonly name: string;
  readonly state: { readonly messages: number; readonly bytes: number; readonly consumer_count: number };
}

interface JetStreamZ {
  readonly account_details?: readonly { readonly stream_detail?: readonly StreamDetail[] }[];
}

/** Rejects unless the bus was started monitored. */
export async function lookAtBus({ server: { monitor, pid } }: Ground): Promise<BusLook> {
  if (monitor === undefined || pid === undefined) throw new Error('the bus is not monitored, or is down');
  const heap = await (await fetch(`${monitor.profile}/debug/pprof/heap?gc=1&debug=1`)).text();
  const { connections, subscriptions } = await asked<{ connections: number; subscriptions: number }>(
    `${monitor.monitoring}/varz`,
  );
  const { account_details: accounts = [] } = await asked<JetStreamZ>(
    `${monitor.monitoring}/jsz?accounts=true&streams=true`,
  );
  const streams = accounts.flatMap(({ stream_detail: detail = [] }) => detail);
  const sum = (of: (stream: StreamDetail) => number) =>
    streams.reduce((total, stream) => total + of(stream), 0);
  return {
    rssMb: await rssMb(pid),
    heapMb: Number(/# HeapAlloc = (\d+)/.exec(heap)?.[1]) / MB,
    connections,
    subscriptions,
    consumers: sum(({ state }) => state.consumer_count),
    messages: Object.fromEntries(streams.map(({ name, state }) => [name, state.messages])),
    bytes: sum(({ state }) => state.bytes),
  };
}

async function asked<Answer>(url: string): Promise<Answer> {
  return (await (await fetch(url)).json()) as Answer;
}

export interface ProcessLook {
  readonly rssMb: number;
  /** What its garbage collector leaves. */
  readonly heapMb: number;
  readonly descriptors: number;
}

/** The process must have been started with `--expose-gc`. */
export async function lookAtService(service: Peer): Promise<ProcessLook> {
  const heapBytes = await service.call<number>('heapBytes');
  const descriptors = (await readdir(`/proc/${service.pid}/fd`)).length;
  return { rssMb: await rssMb(service.pid), heapMb: heapBytes / MB, descriptors };
}

/** Memory of a process that is in the machine. */
export async function rssMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * KIB) / MB;
}
