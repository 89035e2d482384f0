/** `mcs demo`: the mission `missions/demo` on this machine, with something to try. */

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { untilItEnds } from './process-end.ts';
import { openLog, type Serving, startServing } from './serve.ts';
import { readServeOptions } from './serve-options.ts';

const DEMO_PORT = 8400;
const BENCH_PORT = 8401;

export async function demo(args: string[]): Promise<number> {
  const options = readServeOptions(args, { port: DEMO_PORT, benchPort: BENCH_PORT });
  process.env.MCS_LOG_LEVEL ??= 'warn';
  const mission =
    options.mission ?? join(dirname(dirname(fileURLToPath(import.meta.url))), 'missions', 'demo');
  process.stdout.write('Starting the demo mission …\n');
  const log = openLog();
  return untilItEnds(log, async (fail) => {
    const serving = await startServing({ ...options, mission }, log, fail);
    serving.service.ready.then((up) => up && process.stdout.write(welcome(serving)), fail);
    return {
      stop: () => {
        process.stdout.write('\nStopping …\n');
        return serving.stop();
      },
    };
  });
}

function welcome({ api, bench, nats }: Pick<Serving, 'api' | 'bench' | 'nats'>): string {
  const socket = api?.replace(/^http/, 'ws');
  return `
The demo mission is up. Ctrl-C stops it.

  API            ${api}
  inspector      ${api}/inspect
  interface      ${api}/docs
  health         ${api}/healthz
  metrics        ${api}/metrics
  RF bench       ${bench}/
  message bus    ${nats}

Telemetry: sat1 is simulated, noaa20 is recorded flight data of NOAA-20, one packet a second.

  curl -s ${api}/v1/targets/sat1/values
  curl -s ${api}/v1/targets/noaa20/values

A telecommand, and its acknowledgement chain:

  curl -s ${api}/v1/tc -H 'content-type: application/json' -H 'x-mcs-user: ${process.env.USER ?? 'operator'}' \\
       -d '{"target":"sat1","telecommand":"obc.ping"}'

  WebSocket      ${socket}/v1/tc/sat1/{id}/events    the one you sent
                 ${socket}/v1/tc/watch?target=sat1   every one from now on

A procedure that asks a question (answer it from another terminal):

  ./mcs run start take_image sat=sat1 --environment rehearsal --follow

`;
}
