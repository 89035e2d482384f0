/**
 * Debian's iiod over a tree of attributes made for it, in mount and network namespaces of its own: nothing of it is
 * seen outside, and nothing listens but a port of 127.0.0.1 of this process, relayed through a socket in a folder.
 *
 * Reading the attribute `stuck` of `ad9361-phy` never ends, as behind a lock of a driver. `iio:device3` (modem-rx)
 * reads what `iio:device4` (modem-tx) is given, through a FIFO.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeze } from './freeze.ts';
import { until } from './until.ts';

export interface RealIiod {
  readonly port: number;
  /** It stands still from the answer on, with everything that is asked of it. */
  freeze(): Promise<void>;
  thaw(): void;
  stop(): Promise<void>;
}

/** Why it cannot be run here; undefined when it can. */
export function noRealIiod(): string | undefined {
  if (!isInstalled('iiod')) return 'iiod is not installed (Debian package iiod)';
  if (!isInstalled('ip')) return 'ip is not installed (Debian package iproute2)';
  if (spawnSync('unshare', ['-m', '-n', 'true']).status !== 0) return 'no right to namespaces of its own';
  return undefined;
}

export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

const WORLD = `set -e
mount -t tmpfs t /sys/bus
mount -t tmpfs t /sys/kernel
at=/sys/bus/iio/devices
mkdir -p $at /sys/kernel/debug/iio/iio:device0
device() { mkdir -p $at/$1; cd $at/$1; echo $2 > name; echo 0 > dev; }
buffer() {
  device $1 $2; mkdir scan_elements buffer
  echo 0 > buffer/enable; echo 0 > buffer/length
  echo 0 > scan_elements/$3_voltage0_en; echo 0 > scan_elements/$3_voltage0_index
  echo 'le:u8/8>>0' > scan_elements/$3_voltage0_type; echo 7 > $3_voltage0_raw
}
device iio:device0 ad9361-phy
echo '63.000000 dB' > in_voltage0_hardwaregain
echo 2400000000 > out_altvoltage0_RX_LO_frequency
echo fdd > ensm_mode
mkfifo stuck
echo 0 > /sys/kernel/debug/iio/iio:device0/loopback
buffer iio:device3 modem-rx in
buffer iio:device4 modem-tx out
mount -t tmpfs t /dev
mknod -m 666 /dev/null c 1 3
mknod -m 666 /dev/zero c 1 5
mknod -m 666 /dev/urandom c 1 9
mkfifo /dev/loop
ln -s loop /dev/iio:device3
ln -s loop /dev/iio:device4
ip link set lo up
iiod & iiod=$!
echo $iiod > "$4"
`;

/** Relays connections of a local socket to the iiod of its namespace, until its input ends. */
const RELAY = `
const net = require('node:net');
net.createServer((near) => {
  const far = net.connect(30431, '127.0.0.1');
  for (const [a, b] of [[near, far], [far, near]]) { a.on('error', () => b.destroy()); a.on('close', () => b.destroy()); a.pipe(b); }
}).listen(process.argv[1]);
process.stdin.resume().on('end', () => process.exit(0));
`;

/** Starts it; resolves when it answers. */
export async function startRealIiod(): Promise<RealIiod> {
  const folder = mkdtempSync(join(tmpdir(), 'iiod-'));
  const socket = join(folder, 'relay');
  const pidFile = join(folder, 'pid');
  const script = `${WORLD}"$1" -e "$2" "$3"; kill -9 $iiod; wait`;
  const child = spawn(
    'unshare',
    ['-m', '-n', 'sh', '-c', script, 'sh', process.execPath, RELAY, socket, pidFile],
    {
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  const sockets = new Set<Socket>();
  const server = createServer((near) => relay(near, socket, sockets)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.close();
    for (const open of sockets) open.destroy();
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(() => answers(port), { what: 'an answer of iiod', timeoutMs: 20_000 });
  } catch (error) {
    await stop();
    throw error;
  }
  const pid = Number(readFileSync(pidFile, 'utf8'));
  return { port, freeze: () => freeze(pid), thaw: () => void process.kill(pid, 'SIGCONT'), stop };
}

function relay(near: Socket, path: string, sockets: Set<Socket>): void {
  const far = connect(path);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    sockets.add(one);
    one.on('error', () => other.destroy());
    one.on('close', () => {
      sockets.delete(one);
      other.destroy();
    });
    one.pipe(other);
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  let isHeard = false;
  socket.on('data', () => {
    isHeard = true;
  });
  socket.on('error', () => undefined);
  socket.write('VERSION\r\n');
  await until(() => isHeard || socket.destroyed).catch(() => undefined);
  socket.destroy();
  return isHeard;
}

/** Its relay ends with its input, its shell with the relay, its iiod before the shell. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.stdin?.end();
  await exit;
}
