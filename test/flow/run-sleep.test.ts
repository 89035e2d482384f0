/**
 * People speak to runs while the executor that holds them sleeps (SIGSTOP), wakes (SIGCONT) and finds that another one
 * has its shards. Every command is carried out or answered truthfully, and no answer counts twice or for another
 * question. Mission Control Service, sections 3.2 and 4.2 rules 6 and 7.
 *
 * `RUN_CAMPAIGN=N` gives at least N commands and N answers, and prints what they came to; without it a round of each is
 * made.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { AskStatement } from '../../contract/program.ts';
import type { Answer, RunStatus } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { call, type ErrorBody } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { runLogFaults } from '../support/run-log-checker.ts';
import {
  currentRevision,
  eventsOf,
  leaf,
  logWith,
  programOf,
  submitProgram,
} from '../support/run-program.ts';
import { until } from '../support/until.ts';

const WANTED = Number(process.env.RUN_CAMPAIGN ?? 0);
const RUNS = WANTED > 0 ? 24 : 4;
/** Shorter than the time to live of an executor, about it, and well past it. */
const NAPS_MS = WANTED > 0 ? [300, 1_500, 3_200, 4_500, 6_000] : [4_500];
const CAMPAIGN = { timeout: 240_000 + WANTED * 2_000 };
const LONG = { timeoutMs: 60_000 };

let cell: DemoCell;
let config: string;
let executors: Mcs[];
const random = seededRandom(Number(process.env.RUN_CAMPAIGN_SEED ?? 1));
const whole = (most: number): number => Math.floor(random.next() * most);

beforeAll(async () => {
  cell = await startDemoCell({ roles: ['api', 'drivers', 'gateways', 'telemetry'] });
  config = await currentRevision(cell.bus);
  const at = ['--nats', cell.nats.url, '--credentials', cell.nats.credentialsFile];
  const start = (name: string) =>
    startMcs({ args: ['serve', '--roles', 'executor', ...at], env: { MCS_INSTANCE: name } });
  executors = await Promise.all([start('one'), start('two')]);
}, 90_000);
afterAll(async () => {
  await endAllMcs();
  await cell.stop();
});

/** One executor sleeps for a while, and `meanwhile` begins a little later. */
async function asleep<Value>(meanwhile: () => Promise<Value>): Promise<Value> {
  const sleeper = executors[whole(executors.length)]!;
  sleeper.child.kill('SIGSTOP');
  const done = meanwhile();
  await new Promise((resolve) => setTimeout(resolve, NAPS_MS[whole(NAPS_MS.length)]));
  sleeper.child.kill('SIGCONT');
  return done;
}

const url = (run: string, path: string): string => `${cell.api}/v1/runs/${run}/${path}`;

// Commands ------------------------------------------------------------------------------------------------------------

type Action = 'suspend' | 'resume' | 'abort';

interface Command {
  readonly run: string;
  readonly action: Action;
  /** Everybody commands once. */
  readonly by: string;
  /** Events that the log had before it. */
  readonly before: number;
  readonly status: number;
  readonly said: readonly string[];
  readonly tookMs: number;
}

const busy = () =>
  programOf(
    config,
    [
      leaf(
        'a',
        Array.from({ length: 3_000 }, () => ({ kind: 'wait', ms: 50 }) as const),
      ),
    ],
    {
      leases: [],
    },
  );

async function begunRun(): Promise<string> {
  const run = await submitProgram(cell.bus, busy(), { by: 'ana' });
  await logWith(cell.bus, run, 'step_started', LONG);
  return run;
}

async function give(run: string, by: string): Promise<Command> {
  const log = await eventsOf(cell.bus, run);
  const isSuspended =
    log.findLast(({ event }) => event === 'suspended' || event === 'continued')?.event === 'suspended';
  const action = whole(6) === 0 ? 'abort' : isSuspended ? 'resume' : 'suspend';
  const began = performance.now();
  const answer = await call<ErrorBody>('POST', url(run, action), undefined, { 'X-Mcs-User': by });
  const said = answer.status === 202 ? [] : answer.body.errors.map(({ message }) => message);
  const tookMs = performance.now() - began;
  return { run, action, by, before: log.length, status: answer.status, said, tookMs };
}

/** What is wrong with the answer to a command, by the log of its run; undefined for nothing. */
async function lie({ run, action, by, before, status, said }: Command): Promise<string | undefined> {
  const later = async (): Promise<RunEvent[]> => (await eventsOf(cell.bus, run)).slice(before);
  const isDone = (event: RunEvent): boolean =>
    action === 'suspend'
      ? event.event === 'suspended'
      : action === 'resume'
        ? event.event === 'continued'
        : event.event === 'finished' && event.reason?.startsWith('aborted by') === true;
  const what = `${action} of ${run} by ${by}: ${status} ${said.join()}`;
  if (status === 202) {
    const done = await until(async () => (await later()).some(isDone), LONG).catch(() => false);
    return done ? undefined : `${what}: accepted and not carried out`;
  }
  if (status === 504) return `${what}: nobody said`;
  const own = (await later()).find((event) => isDone(event) && JSON.stringify(event).includes(by));
  return own === undefined ? undefined : `${what}: refused and carried out by event ${own.seq}`;
}

describe('commands given while an executor sleeps', () => {
  it('MC-ANS-019 MC-ANS-022 MC-ANS-023 each is carried out, and its answer is true', CAMPAIGN, async () => {
    const given: Command[] = [];
    let runs = await Promise.all(Array.from({ length: RUNS }, begunRun));
    do {
      const round = given.length;
      given.push(...(await asleep(() => Promise.all(runs.map((run, n) => give(run, `op-${round}-${n}`))))));
      const latest = given.slice(round);
      expect((await Promise.all(latest.map(lie))).filter((each) => each !== undefined)).toEqual([]);
      const isOver = new Set(
        latest.filter(({ action, status }) => action === 'abort' && status === 202).map(({ run }) => run),
      );
      runs = await Promise.all(runs.map((run) => (isOver.has(run) ? begunRun() : run)));
    } while (given.length < WANTED);
    for (const run of new Set(given.map((each) => each.run)))
      expect(runLogFaults(await eventsOf(cell.bus, run)), run).toEqual([]);
    const accepted = given.filter(({ status }) => status === 202);
    expect(accepted.length, 'nearly all of them').toBeGreaterThanOrEqual(0.9 * given.length);
    await Promise.all(runs.map((run) => call('POST', url(run, 'abort'), undefined, { 'X-Mcs-User': 'end' })));
    if (WANTED > 0) report(given);
  });
});

function report(given: readonly Command[]): void {
  const slowest = Math.max(...given.map(({ tookMs }) => tookMs));
  const statuses = Object.fromEntries(
    [202, 409, 504].map((status) => [status, given.filter((each) => each.status === status).length]),
  );
  console.info(JSON.stringify({ commands: given.length, statuses, slowestMs: Math.round(slowest) }));
}

// Answers -------------------------------------------------------------------------------------------------------------

const ASK: AskStatement = { kind: 'ask', prompt: ['ready?'], timeoutMs: null };

/** A step that asks and, answered no, asks a decision at the same path. */
const asking = () => programOf(config, [leaf('a', [ASK])], { leases: [] });

const statusOf = async (run: string): Promise<RunStatus> =>
  (await call<RunStatus>('GET', `${cell.api}/v1/runs/${run}`)).body;

async function askedBy(run: string): Promise<number> {
  return (await until(async () => (await statusOf(run)).pending, LONG)).question!;
}

/** Whether a no without its question came when the decision was in the log already, and ended the run as it says. */
async function isMeantNo(run: string, log: readonly RunEvent[]): Promise<boolean> {
  const decision = log.find(({ event }) => event === 'decision_required');
  const last = log.findLast(({ event }) => event === 'answered');
  if (decision === undefined || last?.event !== 'answered' || last.accepted) return false;
  const given: StreamMessage[] = [];
  const follower = await cell.bus.follow(
    ...([streams.runAnswers, subject.runApproval(run), { from: 'start' }] as const),
    (message) => void given.push(message),
  );
  await follower.caughtUp;
  await follower.stop();
  return given.some(({ headers }) => Number(headers[header.seen] ?? 0) >= decision.seq);
}

class Answers {
  posted = 0;

  async post(run: string, body: Omit<Answer, 'path'>, times: number): Promise<void> {
    const again = Array.from({ length: times }, () =>
      call('POST', url(run, 'answers'), { path: 'a', ...body }, { 'X-Mcs-User': 'ada' }),
    );
    for (const answer of await Promise.all(again)) expect(answer.status).toBe(202);
    this.posted += times;
  }
}

/** Fails with the log of the run. */
function shown<Value>(run: string, waited: Promise<Value>): Promise<Value> {
  return waited.catch(async (error: unknown) => {
    const log = (await eventsOf(cell.bus, run)).map(
      ({ run: _, at, ...event }) => `${at} ${JSON.stringify(event)}`,
    );
    throw new Error(`${String(error)}:\n${log.join('\n')}`);
  });
}

/** The questions that the log asks, and the answers taken to each. */
function taken(log: readonly RunEvent[]): (readonly RunEvent[])[] {
  const asked = log.filter(({ event }) => event === 'asked' || event === 'decision_required');
  return asked.map(({ seq }, n) => {
    const end = asked[n + 1]?.seq ?? Number.POSITIVE_INFINITY;
    return log.filter((event) => event.event === 'answered' && event.seq > seq && event.seq < end);
  });
}

describe('answers repeated while an executor sleeps', () => {
  it(
    'MC-ANS-006 MC-ANS-030 A-70 none ends its run as a decision it was not given for',
    CAMPAIGN,
    async () => {
      const answers = new Answers();
      const start = async () => {
        const run = await submitProgram(cell.bus, asking(), { by: 'ana' });
        await logWith(cell.bus, run, 'asked', LONG);
        return run;
      };
      do {
        const runs = await Promise.all(Array.from({ length: RUNS }, start));
        const first = await Promise.all(runs.map((run) => askedBy(run)));
        // Stored together, with and without their question, as the first one leads to a decision or its executor to an
        // heir.
        await asleep(() =>
          Promise.all(
            runs.map((run, n) =>
              answers.post(run, { accepted: n % 4 < 2, ...(n % 2 === 0 && { question: first[n]! }) }, 2),
            ),
          ),
        );
        await Promise.all(runs.map((run, n) => ended(run, first[n]!, answers)));
      } while (answers.posted < WANTED);
      if (WANTED > 0) console.info(JSON.stringify({ answers: answers.posted }));
    },
  );

  /** Says no to what is asked, twice, until the decision is asked; a takeover asks again in between. */
  async function refused(run: string, first: number, answers: Answers) {
    let question = first;
    for (;;) {
      const asks = await shown(
        run,
        until(async () => (await statusOf(run)).pending, LONG),
      );
      if (asks.kind === 'decision') return { question, decision: asks.question! };
      question = asks.question!;
      await answers.post(run, { accepted: false, question }, 2);
      await shown(
        run,
        until(async () => (await statusOf(run)).pending?.question !== question, LONG),
      );
    }
  }

  /** Whatever the two came to, the run goes on until it is decided about, and nothing else ended it. */
  async function ended(run: string, first: number, answers: Answers): Promise<void> {
    const isSettled = async () => {
      const log = await eventsOf(cell.bus, run);
      const said = log.filter(({ event }) => event === 'answered' || event === 'answer_refused').length;
      const { pending: asks, finished } = await statusOf(run);
      return (said >= 2 && asks !== undefined) || finished !== undefined;
    };
    await shown(run, until(isSettled, LONG));
    if ((await statusOf(run)).finished === undefined) {
      const { question: last, decision } = await refused(run, first, answers);
      // Repetitions of what has been answered, in every form: the decision is another question.
      await answers.post(run, { accepted: false, question: first }, 2);
      await answers.post(run, { accepted: false, question: last }, 2);
      await answers.post(run, { accepted: true }, 1);
      await answers.post(run, { accepted: true, value: 'skip', question: decision }, 2);
    }
    const whole = await logWith(cell.bus, run, 'finished', LONG);
    if (!(await isMeantNo(run, whole)))
      expect(whole.at(-1), JSON.stringify(whole, undefined, 1)).toMatchObject({
        event: 'finished',
        ok: true,
      });
    expect(runLogFaults(whole, { ended: true })).toEqual([]);
    for (const each of taken(whole)) expect(each.length, JSON.stringify(whole)).toBeLessThanOrEqual(1);
  }
});
