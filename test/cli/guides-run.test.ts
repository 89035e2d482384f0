/**
 * The command lines of the guides are run, in the order in which they stand there, against a demo that was started as
 * the first of them says. Those of README each time, but for a few that wait; of every guide with `npm run guides`.
 * What is not run is listed here, with who runs it.
 */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../cli/commands.ts';
import type { PassList } from '../../contract/pass.ts';
import type { RunList } from '../../contract/run.ts';
import { call } from '../support/client.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { keepPrinted } from '../support/printed.ts';
import { until } from '../support/until.ts';
import { SHOWN, type Shown } from './guide-commands.ts';

const isWhole = process.env['GUIDES'] === 'all';
const GUIDES = isWhole ? [...new Set(SHOWN.map(({ place }) => place.split(':')[0]!))] : ['README.md'];
/** Longer than anything a guide promises, on a machine that has much else to do. */
const PATIENCE_MS = 60_000;

/** Not run here, and who runs it. */
const ELSEWHERE: readonly (readonly [command: RegExp, why: string])[] = [
  [/^demo/, 'all of them are run against it'],
  [/^serve /, 'its own processes: test/flow/several-processes.test.ts'],
  [/^unit /, 'a unit of its own: test/flow/units.test.ts'],
  [
    /^connector (?:postgres|remove)/,
    'a database of its own: test/flow/postgres-kills.test.ts, test/cli/connector.test.ts',
  ],
  [/^actor (?:resume|reset)/, 'something in quarantine: test/cli/actor-release.test.ts'],
  [/^pass (?:put|feed)/, 'files of the reader: test/cli/pass.test.ts'],
  [/^pass predict --elements/, 'files of the reader: test/cli/pass-predict.test.ts'],
  [/^pass predict .*--feed/, 'feeds without end: test/cli/pass-predict.test.ts'],
  [/^file put/, 'minutes of a link: test/cli/file-put-demo.test.ts'],
  [/^file get sat1 3/, 'minutes of a link: test/cli/file-get-demo.test.ts'],
  [/^schedule validate/, 'a schedule that waits for a supervisor: test/cli/schedule.test.ts'],
];
/** What the guide says of it is that it fails. */
const FAILS = /^docs\/operating\.md:\d+ tc send sat1 obc\.ping$/;
/** They wait for a spacecraft, a minute together: with `npm run guides` alone. */
const SLOW = /^(?:run (?:start|list|answer)|alarm (?:watch|ack)|sim fault sim-1 cell_drain) ?/;
/** Goes on until it is ended: what it says first is enough. */
const FOLLOWS = /^(?:values watch|alarm watch|events --follow|pass watch|transfer watch|link watch|tc watch)/;
/** Ends once somebody has answered: another line of the guide. */
const WAITS = /^run start .*--follow$/;

let demo: Mcs;
let api: string;
let folder: string;
let waiting: Mcs | undefined;
const printed = keepPrinted();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-guides-'));
  const ports = ['--port', '0', '--bench-port', '0', '--state', join(folder, 'state')];
  demo = await startMcs({ args: ['demo', ...ports], unready: true });
  api = await until(() => /^ {2}API +(http:\S+)\n/m.exec(demo.output())?.[1], {
    what: `the address of the demo: ${demo.errors()}`,
    timeoutMs: PATIENCE_MS,
  });
  process.env['MCS_API'] = api;
}, 120_000);
afterAll(async () => {
  delete process.env['MCS_API'];
  await demo?.kill('SIGTERM');
  await endAllMcs();
  await rm(folder, { recursive: true, force: true });
});

/** The run that asks; the guide calls it RUN. Those that a schedule of the demo started are nobody's here. */
async function asking(): Promise<string> {
  return until(
    async () => {
      const { body } = await call<RunList>('GET', `${api}/v1/runs?limit=10`);
      return body.runs?.find(
        ({ pending, by }) => pending !== undefined && by?.startsWith('schedule ') !== true,
      )?.run;
    },
    { what: 'a run that asks', timeoutMs: PATIENCE_MS },
  );
}

/** The longest pass of sat1 to come; the guides name one of a day long past. */
async function comingPass(): Promise<string> {
  const lasts = ({ aos, los }: { aos: string; los: string }): number => Date.parse(los) - Date.parse(aos);
  return until(
    async () => {
      const { body } = await call<PassList>('GET', `${api}/v1/passes?target=sat1`);
      const soon = Date.now() + 3_600_000;
      const coming = body.passes.map(({ pass }) => pass).filter(({ aos }) => Date.parse(aos) > soon);
      return coming.sort((one, other) => lasts(other) - lasts(one))[0]?.id;
    },
    { what: 'the predictions of the demo', timeoutMs: PATIENCE_MS },
  );
}

/** The words with what is of this machine and of this hour. */
async function here(args: readonly string[]): Promise<string[]> {
  const places: Record<string, () => Promise<string> | string> = {
    'my-mission': () => 'missions/demo',
    RUN: asking,
    'KIND/ID': async () => {
      const { body } = await call<{ entities: { kind: string; id: string }[] }>(
        'GET',
        `${api}/v1/inspect/entities?target=sat1`,
      );
      return `${body.entities[0]!.kind}/${body.entities[0]!.id}`;
    },
    'sat1-kiruna-20260102T0304': comingPass,
    'past.parquet': () => join(folder, 'past.parquet'),
  };
  return Promise.all(args.map((word) => (Object.hasOwn(places, word) ? places[word]!() : word)));
}

async function follow(args: readonly string[]): Promise<void> {
  const follower = await startMcs({ args, unready: true });
  await until(() => follower.output() !== '', {
    what: `mcs ${args.join(' ')} to say something`,
    timeoutMs: PATIENCE_MS,
  });
  const { code, signal } = await follower.kill('SIGINT');
  if (![0, 130, null].includes(code) || ![null, 'SIGINT'].includes(signal))
    throw new Error(`exit code ${code}`);
}

/** A file that is brought down is saved in the folder of the test, not where it is run. */
function savedApart([noun, verb]: readonly string[]): string[] {
  return noun === 'file' && verb === 'get' ? ['--output', join(folder, 'brought-down')] : [];
}

async function carryOut(args: readonly string[], expected = 0): Promise<void> {
  if (FOLLOWS.test(args.join(' '))) return follow(args);
  if (WAITS.test(args.join(' '))) {
    waiting = await startMcs({ args, unready: true });
    return void (await asking());
  }
  // An alarm is there, and a file is listed, a moment after what the guide says before.
  await until(
    async () => {
      printed.err = '';
      printed.out = '';
      return (await runCommand([...args, ...savedApart(args)])) === expected;
    },
    { timeoutMs: PATIENCE_MS, what: `exit code ${expected}` },
  );
  if (args[1] !== 'answer' || waiting === undefined) return;
  const { code } = await waiting.exited;
  if (code !== 0) throw new Error(`the run that was answered ended with ${code}: ${waiting.output()}`);
}

async function failure({ place, args }: Shown): Promise<string | undefined> {
  const meant = await here(args).catch((error: Error) => error);
  if (meant instanceof Error) return `${place} mcs ${args.join(' ')}: ${meant.message}`;
  return carryOut(meant, FAILS.test(`${place} ${args.join(' ')}`) ? 1 : 0).then(
    () => undefined,
    (error: Error) => `${place} mcs ${meant.join(' ')}: ${error.message} ${printed.err}`,
  );
}

/** Of what the demo prints: minutes of a link, and a run that a person answers. README has both. */
const isLong = ({ args }: Shown): boolean => /^(?:file get|run start)/.test(args.join(' '));
const isElsewhere = ({ args }: Shown): boolean => ELSEWHERE.some(([command]) => command.test(args.join(' ')));
const isRun = (shown: Shown): boolean => !isElsewhere(shown) && (isWhole || !SLOW.test(shown.args.join(' ')));

describe.each(GUIDES)('%s', (guide) => {
  it('its commands do what they are for, one after the other', {
    timeout: isWhole ? 600_000 : 240_000,
  }, async () => {
    const failed: string[] = [];
    const run = SHOWN.filter((shown) => shown.place.startsWith(`${guide}:`) && isRun(shown));
    for (const shown of run) {
      const why = await failure(shown);
      if (why !== undefined) failed.push(why);
    }
    expect(failed).toEqual([]);
  });
});

/** The commands that the demo prints at its start, each as it stands there. */
const printedByDemo = (): string[][] =>
  [...demo.output().matchAll(/\.\/mcs (\S+(?: \S+)*)/g)].map(([, words]) => words!.split(' '));

it('every command that the demo prints names its address where that is not the usual one, and works', {
  timeout: 240_000,
}, async () => {
  const commands = printedByDemo();
  expect(commands.length).toBeGreaterThan(9);
  const failed: string[] = [];
  delete process.env['MCS_API'];
  try {
    for (const args of commands) {
      expect(args.slice(-2)).toEqual(['--api', api]);
      const shown = { place: 'demo', args: args.slice(0, -2) };
      if (isElsewhere(shown) || isLong(shown)) continue;
      const why = await carryOut(args).then(
        () => undefined,
        ({ message }: Error) => `mcs ${args.join(' ')}: ${message} ${printed.err}`,
      );
      if (why !== undefined) failed.push(why);
    }
  } finally {
    process.env['MCS_API'] = api;
  }
  expect(failed).toEqual([]);
});

it('every call of curl in README is answered', { timeout: 60_000 }, async () => {
  const text = (await readFile(new URL('../../README.md', import.meta.url), 'utf8')).replaceAll(
    /\\\n\s*/g,
    ' ',
  );
  const calls = text.split('\n').filter((line) => line.startsWith('curl '));
  expect(calls.length).toBeGreaterThan(0);
  for (const line of calls) {
    const meant = line.replaceAll('http://127.0.0.1:8400', api).replace('curl -s', 'curl -sSf');
    const { stdout } = await promisify(execFile)('bash', ['-c', meant]);
    expect(JSON.parse(stdout)).toMatchObject({ id: expect.any(String) });
  }
});

it('what is not run here is shown by a guide', () => {
  const idle = ELSEWHERE.filter(([command]) => !SHOWN.some(({ args }) => command.test(args.join(' '))));
  expect(idle).toEqual([]);
});
