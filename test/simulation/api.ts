/**
 * The front end of a simulated process: the handlers of `POST /v1/tc`, of runs and of plans with their real ports,
 * called where a socket would call them. Mission Control Service, sections 2.1, 2.3, 4.5 and 4.6. What comes before a
 * handler (path, body shape, identity) is not simulated.
 */

import { ulid } from 'ulid';
import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { Outage } from '../../contract/outage.ts';
import type { Program } from '../../contract/program.ts';
import type { Answer as AnswerBody, LaunchReply, RunRequest } from '../../contract/run.ts';
import type { ControlCall } from '../../contract/run-wire.ts';
import type { TcReply, TcRequest } from '../../contract/telecommand.ts';
import { watchHolds } from '../../http/holds.ts';
import type { RoutePorts } from '../../http/ports.ts';
import type { Handled, Reply } from '../../http/reply.ts';
import { commandAlarm } from '../../http/routes/alarms.ts';
import { answerRun, commandRun } from '../../http/routes/run-commands.ts';
import { launchRun } from '../../http/routes/runs.ts';
import { submitTelecommand } from '../../http/routes/telecommands.ts';
import { watchRuns } from '../../http/run-index.ts';
import { HistoryAsker } from '../../messaging/history-asker.ts';
import { PassWriter } from '../../messaging/pass-writes.ts';
import { PassesOver } from '../../messaging/passes-over.ts';
import { RuleViews } from '../../messaging/rule-views.ts';
import { SchedulesOver } from '../../messaging/schedules-over.ts';
import { TransfersOver } from '../../messaging/transfers-over.ts';
import { programDocument } from '../../mission/procedure/program-document.ts';
import { submittedRun } from '../../mission/procedure/run-status.ts';
import type { RoleContext, RoleFactory } from '../../supervision/role.ts';
import type { RunningValueFeeds } from '../../telemetry/value-feeds.ts';
import type { Request } from './schedules/planning.ts';
import { type Asker, askForPlanning } from './schedules/planning-api.ts';
import { askForFile, type FileRequest } from './transfers/files-api.ts';

export type Answer =
  | { readonly outcome: 'accepted'; readonly duplicate: boolean }
  /** 503: nobody knows whether it was taken. */
  | { readonly outcome: 'unavailable' }
  | { readonly outcome: 'refused'; readonly codes: readonly string[] };

/** The answer a person gets about a run, or about what is planned. */
export type Told =
  | { readonly outcome: 'accepted'; readonly run: string; readonly body?: unknown }
  /** Nobody knows whether it was taken. */
  | { readonly outcome: 'unavailable' }
  | { readonly outcome: 'refused'; readonly codes: readonly string[] };

/** What a person asks of an alarm. */
export type AlarmAction =
  | { readonly action: 'acknowledge' | 'unshelve' }
  | { readonly action: 'shelve'; readonly for: string };

export interface Person {
  readonly name: string;
  readonly roles: readonly string[];
}

export interface Api {
  /** The process that answers. */
  readonly instance: string;
  readonly values: RunningValueFeeds;
  submit(request: TcRequest): Promise<Answer>;
  launch(request: RunRequest): Promise<Told>;
  /** Stores the program and submits a run of it, as a launch does behind its resolution. */
  launchProgram(run: string, program: Program): Promise<Told>;
  answer(run: string, answer: AnswerBody, person: Person): Promise<Told>;
  command(
    run: string,
    action: 'suspend' | 'resume' | 'abort',
    choice: string | undefined,
    name: string,
  ): Promise<Told>;
  alarm(target: string, alarm: string, action: AlarmAction, by: string): Promise<Told>;
  /** As an alarm reaction asks for it on the bus. */
  preempt(run: string): Promise<Told>;
  /** Passes, schedules and rules. */
  plan(what: Request, asker: Asker): Promise<Told>;
  /** Downloads and uploads. */
  file(what: FileRequest): Promise<Told>;
  /** Questions about the past, as the route asks them. */
  history(): HistoryAsker;
}

/** The role `api` of a simulated process; `ready` is given what a client can ask. */
export function simulatedApi(ready: (api: Api) => void): RoleFactory {
  return async (context) => {
    const holds = watchHolds(context.bus, context.log);
    const runs = watchRuns(context.bus, context.log);
    const ports = portsOf(context, { holds, runs });
    const { bus, clock, instance } = context;
    let asker: HistoryAsker | undefined;
    let asked = 0;
    const newId = (): string => {
      asked += 1;
      return `${instance}-${asked}`;
    };
    ready({
      instance: context.instance,
      values: context.values,
      submit: (request) => submit(request, ports),
      ...runApi(ports),
      alarm: (target, alarm, action, by) => commanded(target, alarm, action, by, ports),
      file: (what) =>
        reported(async () => ({ handled: await askForFile(what, ports, context.files), run: () => '' })),
      plan: (what, person) =>
        reported(async () => ({ handled: await askForPlanning(what, person, ports), run: () => '' })),
      // Only where somebody asks: it listens to archives.
      history: () => {
        asker ??= new HistoryAsker({ bus, clock, newId });
        return asker;
      },
    });
    return {
      shared: [],
      stop: async () => void (await Promise.all([holds, runs, asker].map((each) => each?.stop()))),
    };
  };
}

/** Nobody inspects: a handler that asks for more than is here fails loudly. */
function portsOf(
  { bus, missions, values, books, log, clock, random, registry }: RoleContext,
  watched: Pick<RoutePorts, 'holds' | 'runs'>,
): RoutePorts {
  const { passes, schedules, rules, transfers } = books;
  const ports = {
    bus,
    missions,
    values,
    passes,
    schedules,
    rules,
    transfers,
    log,
    clock,
    registry,
    ...watched,
  };
  const newId = (): string => ulid(clock.now(), () => random.next());
  return {
    ...ports,
    passWriter: new PassWriter({ bus, log, passes }),
    passesOver: new PassesOver({ bus, log }),
    schedulesOver: new SchedulesOver({ bus, log }),
    ruleViews: new RuleViews({ clock, ...books }),
    transfersOver: new TransfersOver({ bus, log }),
    newId,
    valuesLoaded: () => true,
    draining: () => false,
  } as unknown as RoutePorts;
}

function commanded(
  target: string,
  alarm: string,
  action: AlarmAction,
  name: string,
  ports: RoutePorts,
): Promise<Told> {
  const caller = { kind: 'declared', name, roles: [] } as const;
  const body = action.action === 'shelve' ? { for: action.for } : undefined;
  const request = { params: { target, alarm, command: action.action }, query: {}, content: undefined };
  return reported(async () => ({
    handled: await commandAlarm.handle({ ...request, body, caller } as never, ports),
    run: () => alarm,
  }));
}

function runApi(
  ports: RoutePorts,
): Omit<Api, 'instance' | 'values' | 'submit' | 'alarm' | 'plan' | 'file' | 'history'> {
  const ada = { kind: 'declared', name: 'ada', roles: [] } as const;
  const nothing = { query: {}, content: undefined };
  return {
    launch: (body) =>
      reported(async () => {
        const handled = await launchRun.handle({ params: {}, ...nothing, body, caller: ada }, ports);
        return { handled, run: (reply) => (reply.body as LaunchReply).run };
      }),
    launchProgram: (run, program) =>
      reported(async () => ({ handled: await submitProgram(run, program, ports), run: () => run })),
    answer: (run, body, { name, roles }) =>
      reported(async () => {
        const caller = { kind: 'declared', name, roles } as const;
        const handled = await answerRun.handle({ params: { run }, ...nothing, body, caller }, ports);
        return { handled, run: () => run };
      }),
    command: (run, action, choice, name) =>
      reported(async () => {
        const body = choice === undefined ? undefined : { choice };
        const caller = { kind: 'declared', name, roles: [] } as const;
        const request = { params: { run, action }, ...nothing, body, caller };
        return { handled: await commandRun.handle(request as never, ports), run: () => run };
      }),
    preempt: (run) =>
      reported(async () => {
        const call: ControlCall = {
          action: 'suspend',
          by: 'alarm sat1.battery.undervoltage',
          reaction: true,
        };
        const data = Buffer.from(JSON.stringify(call));
        const reply = await ports.bus.request(subject.runControl(run), data, { timeoutMs: 5_000 });
        const { outcome } = JSON.parse(Buffer.from(reply).toString()) as { outcome: string };
        if (outcome === 'accepted')
          return { handled: { ok: true, value: { status: 202, body: {} } }, run: () => run };
        throw new Outage('bus.timeout', 'refused');
      }),
  };
}

/** Nobody knows what became of it. */
const PASSING: ReadonlySet<string> = new Set([
  'api::unavailable',
  'api::no-configuration',
  'alarm::no-service',
  'alarm::timeout',
]);

interface Carried {
  readonly handled: Handled<Reply>;
  readonly run: (reply: Reply) => string;
}

async function reported(ask: () => Promise<Carried>): Promise<Told> {
  try {
    const { handled, run } = await ask();
    if (handled.ok) {
      const { body } = handled.value as { body?: unknown };
      return { outcome: 'accepted', run: run(handled.value), body };
    }
    const codes = handled.faults.map(({ code }) => code);
    return codes.every((code) => PASSING.has(code))
      ? { outcome: 'unavailable' }
      : { outcome: 'refused', codes };
  } catch (error) {
    if (error instanceof Outage) return { outcome: 'unavailable' };
    throw error;
  }
}

async function submitProgram(run: string, program: Program, { bus }: RoutePorts): Promise<Handled<Reply>> {
  const { ir, canonical } = programDocument(program);
  await bus.bucket(buckets.programs).put(ir, Buffer.from(canonical), 0);
  const headers = { [header.config]: program.config, [header.user]: 'ada' };
  const data = Buffer.from(JSON.stringify({ run, ir, by: 'ada' }));
  await bus.append(streams.runSubmissions, subject.runSubmit, data, { id: run, headers });
  await bus.bucket(buckets.runs).put(run, Buffer.from(JSON.stringify(submittedRun(run, program, 'ada'))), 0);
  return { ok: true, value: { status: 202, body: {} } };
}

async function submit(body: TcRequest, ports: RoutePorts): Promise<Answer> {
  const caller = { kind: 'declared', name: 'ada', roles: [] } as const;
  try {
    const handled = await submitTelecommand.handle(
      { params: {}, query: {}, body, caller, content: undefined },
      ports,
    );
    if (handled.ok) return { outcome: 'accepted', duplicate: (handled.value.body as TcReply).duplicate };
    const codes = handled.faults.map(({ code }) => code);
    const passing = codes.every((code) => code === 'api::unavailable' || code === 'api::no-configuration');
    return passing ? { outcome: 'unavailable' } : { outcome: 'refused', codes };
  } catch (error) {
    if (error instanceof Outage) return { outcome: 'unavailable' };
    throw error;
  }
}
