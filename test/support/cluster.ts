/** Three nats-servers that hold every stream in three copies, each of which can be killed and started again. */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServerBinary } from '../../bus/server-binary.ts';

export interface TestCluster {
  /** Addresses of all nodes. */
  readonly url: string;
  /** kill -9 of a node, 0 to 2; its store stays. */
  kill(node: number): Promise<void>;
  start(node: number): void;
  stop(): Promise<void>;
}

const NODES = [0, 1, 2];

/** Starts the nodes; the first stream can be made when they have elected a leader, some seconds later. */
export async function startCluster(): Promise<TestCluster> {
  const dir = await mkdtemp(join(tmpdir(), 'mcs-cluster-'));
  const binary = await findServerBinary();
  const [clients, routes] = [await freePorts(), await freePorts()];
  const running = new Map<number, ChildProcess>();
  const peers = routes.map((port) => `nats://127.0.0.1:${port}`).join(', ');
  for (const node of NODES)
    await writeFile(
      join(dir, `${node}.conf`),
      `server_name: n${node}
listen: "127.0.0.1:${clients[node]}"
jetstream: { store_dir: "${join(dir, String(node))}", max_mem: 64MB, max_file: 500GB }
cluster: { name: mcs, listen: "127.0.0.1:${routes[node]}", no_advertise: true, routes: [${peers}] }
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
  NODES.forEach(start);
  return {
    url: clients.map((port) => `nats://127.0.0.1:${port}`).join(','),
    kill,
    start,
    stop: async () => {
      await Promise.all(NODES.map(kill));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function freePorts(): Promise<number[]> {
  const servers = NODES.map(() => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
