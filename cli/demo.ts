/** `mcs demo`: the mission `missions/demo` on this machine, with something to try. */

import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineCommand } from './command.ts';
import { keepPasses } from './demo-passes.ts';
import { openLog } from './open-log.ts';
import { printable } from './printable.ts';
import { untilItEnds } from './process-end.ts';
import { type Serving, startServing } from './serve.ts';
import { SERVE_OPTIONS, type ServeOptions, serveOptions } from './serve-options.ts';

const DEMO = join(dirname(dirname(fileURLToPath(import.meta.url))), 'missions', 'demo');
const DEMO_PORT = 8400;
/** What the clients of the API take without `--api`. */
const DEFAULT_API = `http://127.0.0.1:${DEMO_PORT}`;
const BENCH_PORT = 8401;
const UNIT = 'bench-01';

const DEMO_USAGE = `mcs demo [--port N] [--bench-port N] [--state DIR]
  a whole mission on this machine, at port ${DEMO_PORT}, with an RF bench at port ${BENCH_PORT}; --state: keeps what it has
  [--mission DIR] [--host ADDRESS] [--allow-host NAME] [--nats URL] [--credentials FILE] [--nats-ca FILE] [--signer FILE]
  [--nats-listen ADDRESS] [--roles a,b] [--metrics-port N]: as of mcs serve
`;

export const demo = defineCommand({
  usage: DEMO_USAGE,
  words: [],
  options: SERVE_OPTIONS,
  run: ({ values }) => runDemo(serveOptions(values, { port: DEMO_PORT, benchPort: BENCH_PORT })),
});

async function runDemo(options: ServeOptions): Promise<number> {
  process.env.MCS_LOG_LEVEL ??= 'warn';
  const mission = options.mission ?? DEMO;
  process.stdout.write('Starting the demo mission …\n');
  const log = openLog();
  return untilItEnds(log, async (fail) => {
    const serving = await startServing({ ...options, mission }, log, fail);
    const ended = new AbortController();
    const { api } = serving;
    const passes =
      options.mission === undefined && api !== undefined
        ? { api, mission, signal: ended.signal, print, warn }
        : undefined;
    let unit: { kill(): boolean } | undefined;
    serving.service.ready.then((up) => {
      if (!up || ended.signal.aborted) return;
      unit = simulateUnit(serving);
      process.stdout.write(welcome(serving, passes !== undefined));
      if (passes !== undefined) void keepPasses(passes).catch(fail);
    }, fail);
    return {
      stop: () => {
        ended.abort();
        unit?.kill();
        process.stdout.write('\nStopping …\n');
        return serving.stop();
      },
    };
  });
}

/** A unit of the bench fleet, a process of its own that ends with this one; on the bus that this one has started. */
function simulateUnit({ api, nats, state }: Serving): { kill(): boolean } | undefined {
  const [program] = process.argv.slice(1);
  if (api === undefined || state === undefined || program === undefined) return undefined;
  const where = ['--nats', nats, '--api', api, '--state', join(state, 'units', UNIT), '--gateway', 'sim-1'];
  const args = [...process.execArgv, program, 'unit', 'simulate', UNIT, ...where];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}

function print(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

function warn(line: string): void {
  process.stderr.write(`mcs: ${printable(line)}\n`);
}

function welcome({ api, bench, nats }: Pick<Serving, 'api' | 'bench' | 'nats'>, hasPasses: boolean): string {
  const socket = api?.replace(/^http/, 'ws');
  const at = apiOption(api);
  return `
The demo mission is up. Ctrl-C stops it.

  API            ${api}
  inspector      ${api}/inspect
  interface      ${api}/docs
  health         ${api}/healthz
  metrics        ${api}/metrics
  RF bench       ${bench}/
  message bus    ${nats}

Telemetry: sat1 and sat2 are simulated, noaa20 is recorded flight data of NOAA-20, one packet a second.

  curl -s ${api}/v1/targets/sat1/values
  curl -s ${api}/v1/targets/noaa20/values

A telecommand, and its acknowledgement chain:

  curl -s ${api}/v1/tc -H 'content-type: application/json' -H 'x-mcs-user: ${process.env.USER ?? 'operator'}' \\
       -d '{"target":"sat1","telecommand":"obc.ping"}'

  WebSocket      ${socket}/v1/tc/sat1/{id}/events    the one you sent
                 ${socket}/v1/tc/watch?target=sat1   every one from now on

A procedure that asks a question (answer it from another terminal):

  ./mcs run start take_image sat=sat1 --environment rehearsal --follow${at}

A bench unit, simulated by a process of its own:

  ./mcs unit list${at}        and: ./mcs unit selftest ${UNIT}${at}
${hasPasses ? aboutPasses(at) : ''}
`;
}

/** What a command needs that is typed in another terminal. */
function apiOption(api: string | undefined): string {
  return api === DEFAULT_API ? '' : ` --api ${api}`;
}

function aboutPasses(at: string): string {
  return `
Passes of the next days are predicted from missions/demo/orbits. One of sat1 is made up, over a station "made-up", so
that something happens soon: a schedule starts a run on it, and 40 s later so does a rule, as on each pass that is
high enough.

  ./mcs pass list${at}        or: ./mcs pass watch${at}
  ./mcs schedule list${at}    with --all also what has been fired
  ./mcs rule list${at}

Files on board, and one of them brought down:

  ./mcs file refresh sat1${at}
  ./mcs file get sat1 2${at}

Those of sat2 go by CFDP; file 3 has 3 MB and takes half a minute:

  ./mcs file refresh sat2${at}
  ./mcs file get sat2 3${at}
`;
}
