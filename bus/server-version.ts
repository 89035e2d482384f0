/** Which nats-server a program is. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Its version, as `[2, 10]`; undefined where it does not say. */
export async function serverVersion(
  binary: string,
): Promise<readonly [major: number, minor: number] | undefined> {
  const { stdout } = await promisify(execFile)(binary, ['--version'], { timeout: 10_000 }).catch(() => ({
    stdout: '',
  }));
  const [, major, minor] = /v?(\d+)\.(\d+)\.\d+/.exec(stdout) ?? [];
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
}

/** Whether its store takes an interval at which it is written to the disk; earlier ones refuse to start with it. */
export function takesSyncInterval(version: readonly [number, number] | undefined): boolean {
  const [major, minor] = version ?? [0, 0];
  return major > 2 || (major === 2 && minor >= 10);
}
