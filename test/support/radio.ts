/** A hand on a radio that is a process of its own (`test/flow/radio.fixture.ts`). */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RadioNews, RadioOrder } from '../flow/radio.fixture.ts';

export { freePort } from './free-port.ts';

const FIXTURE = fileURLToPath(new URL('../flow/radio.fixture.ts', import.meta.url));

export interface Radio {
  /** Resolves when it has done so; with its port where it has a new one. */
  tell(order: RadioOrder): Promise<number>;
  /** Everything received so far. */
  received(): Buffer;
  /** Connections so far. */
  connections(): number;
  stop(): Promise<void>;
}

/** Starts a radio that sends bytes of the file. */
export async function startRadio(file: string): Promise<Radio> {
  const child: ChildProcess = fork(FIXTURE, [file], { execArgv: ['--import', 'tsx'] });
  const exited = once(child, 'exit');
  const received: Buffer[] = [];
  const waiting: ((port: number) => void)[] = [];
  let connections = 0;
  child.on('message', (news: RadioNews) => {
    if (news.news === 'received') received.push(Buffer.from(news.bytes, 'hex'));
    else if (news.news === 'connected') connections += 1;
    else waiting.shift()?.(news.port ?? 0);
  });
  return {
    tell: (order) =>
      new Promise((resolve, reject) => {
        waiting.push(resolve);
        child.send(order, (error) => error && reject(error));
      }),
    received: () => Buffer.concat(received),
    connections: () => connections,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
