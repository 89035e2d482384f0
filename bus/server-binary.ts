/**
 * Where the nats-server program is: named by `NATS_SERVER`, on the PATH, or where packages of the common systems put
 * it. It installs nothing.
 */

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

const PACKAGED = ['/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** The path of an executable nats-server; rejects with how to get one. */
export async function findServerBinary(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const named = environment['NATS_SERVER'];
  if (named !== undefined && named !== '') {
    if (await isExecutable(named)) return named;
    throw new Error(`NATS_SERVER names ${named}, which cannot be executed; correct or unset it`);
  }
  const folders = [
    ...(environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...PACKAGED,
  ];
  for (const folder of folders) {
    const path = join(folder, 'nats-server');
    if (await isExecutable(path)) return path;
  }
  throw new Error(
    'no nats-server found: install it (Debian, Ubuntu: apt-get install nats-server; macOS: brew install nats-server), ' +
      'set NATS_SERVER to its path, or use a running server with --nats URL',
  );
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
