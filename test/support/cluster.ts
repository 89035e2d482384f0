/**
 * Three nats-servers that hold every stream in three copies, each of which can be killed, paused, cut off from the
 * others and started again.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import { findServerBinary } from '../../bus/server-binary.ts';
import { freePort } from './free-port.ts';
import { type Relay, startRelay } from './relay.ts';
import { until } from './until.ts';

export interface TestCluster {
  /** Addresses of all nodes. */
  readonly url: string;
  /** kill -9 of a node, 0 to 2; its store stays. */
  kill(node: number): Promise<void>;
  start(node: number): void;
  /** SIGINT, and waits for its end: as somebody restarts it who means well. */
  end(node: number): Promise<void>;
  pause(node: number): void;
  resume(node: number): void;
  /** Cuts every route of a node, until it is joined again; its clients stay. */
  part(node: number): void;
  join(node: number): void;
  stop(): Promise<void>;
}

const NODES = [0, 1, 2];
/** An election takes 4 to 9 s, on a loaded machine longer. */
const ELECTED_MS = 120_000;

/**
 * Starts the nodes, and waits until they have elected a leader that knows all of them: a stream that is made before has
 * fewer copies than it asks for, and is lost with a node. `logs`: folder for what each node says of itself.
 */
export async function startCluster({ logs }: { readonly logs?: string } = {}): Promise<TestCluster> {
  const dir = await mkdtemp(join(tmpdir(), 'mcs-cluster-'));
  const binary = await findServerBinary();
  const [clients, routes] = [await freePorts(), await freePorts()];
  const running = new Map<number, ChildProcess>();
  // A line of its own for each direction of each route, so that a node can be cut off.
  const lines = new Map<string, Relay>();
  for (const from of NODES)
    for (const to of NODES) if (from !== to) lines.set(`${from}${to}`, await startRelay(routes[to]!));
  const peersOf = (node: number): string =>
    NODES.filter((other) => other !== node)
      .map((other) => `nats://127.0.0.1:${lines.get(`${node}${other}`)!.port}`)
      .join(', ');
  const linesOf = (node: number): Relay[] =>
    [...lines].filter(([name]) => name.includes(String(node))).map(([, line]) => line);
  // Servers pass on each other's addresses: with the real ones there are routes beside the lines once a node rejoins.
  const nowhere = '127.0.0.1:1';
  for (const node of NODES)
    await writeFile(
      join(dir, `${node}.conf`),
      `server_name: n${node}
listen: "127.0.0.1:${clients[node]}"
jetstream: { store_dir: "${join(dir, String(node))}", max_mem: 64MB, max_file: 500GB }
max_payload: 8MB
cluster: { name: mcs, listen: "127.0.0.1:${routes[node]}", no_advertise: true, advertise: "${nowhere}", routes: [${peersOf(node)}] }
${logs === undefined ? '' : `log_file: "${join(logs, `n${node}.log`)}"\nlogtime: true`}
`,
    );
  const start = (node: number) => {
    running.set(node, spawn(binary, ['-c', join(dir, `${node}.conf`)], { stdio: 'ignore' }));
  };
  const kill = async (node: number) => {
    const server = running.get(node);
    running.delete(node);
    if (server?.kill('SIGKILL') === true) await once(server, 'exit');
  };
  const end = async (node: number) => {
    const server = running.get(node);
    running.delete(node);
    if (server?.kill('SIGINT') === true) await once(server, 'exit');
  };
  NODES.forEach(start);
  const servers = clients.map((port) => `nats://127.0.0.1:${port}`);
  await until(() => holdsCopies(servers), {
    timeoutMs: ELECTED_MS,
    what: 'a stream with a copy on each node',
  });
  return {
    url: servers.join(','),
    kill,
    start,
    end,
    pause: (node) => void running.get(node)?.kill('SIGSTOP'),
    resume: (node) => void running.get(node)?.kill('SIGCONT'),
    part: (node) => {
      for (const line of linesOf(node)) {
        line.refusing = true;
        line.cut();
      }
    },
    join: (node) => {
      for (const line of linesOf(node)) line.refusing = false;
    },
    stop: async () => {
      await Promise.all(NODES.map(kill));
      await Promise.all([...lines.values()].map((line) => line.stop()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Whether a stream with a copy on each node can be made; it is removed again. */
async function holdsCopies(servers: string[]): Promise<boolean> {
  const connection = await connect({ servers }).catch(() => undefined);
  try {
    const manager = await connection?.jetstreamManager();
    const made = await manager?.streams.add({
      name: 'EACH_NODE',
      subjects: ['each.node'],
      num_replicas: NODES.length,
    });
    return made !== undefined && (await manager!.streams.delete('EACH_NODE'));
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}

async function freePorts(): Promise<number[]> {
  const ports: number[] = [];
  for (const _ of NODES) ports.push(await freePort('tcp'));
  return ports;
}
