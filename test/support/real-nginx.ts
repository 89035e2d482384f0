/** Debian's nginx with a configuration of a test, in a folder of its own, on a free port of 127.0.0.1. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

export interface RealNginx {
  readonly port: number;
  /** Ends it; what it said on its log. */
  stop(): Promise<string>;
}

const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`;

/** Why it cannot be run here; undefined when it can. */
export function noNginx(): string | undefined {
  const found = spawnSync('sh', ['-c', 'command -v nginx'], { env: { PATH } }).status === 0;
  return found ? undefined : 'nginx is not installed (Debian package nginx-light)';
}

/** Runs `http`, what stands inside `http { … }`; the port is put in by the function that writes it. */
export async function startNginx(http: (port: number) => string): Promise<RealNginx> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const port = await freePort('tcp');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  const config = join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr warn;\nevents { worker_connections 256; }\n` +
      `http {\naccess_log off;\n${temporary}\n${http(port)}\n}\n`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH },
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => {
    said += data.toString();
  });
  const ended = once(child, 'close');
  await until(async () => child.exitCode !== null || (await answers(port)), { what: 'nginx to listen' });
  if (child.exitCode !== null) throw new Error(`nginx ended: ${said}`);
  return {
    port,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
      return said;
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
