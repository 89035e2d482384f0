/**
 * Everybody who asks over the bus, and what each makes of the four outcomes of a question (ask.Q1), of those
 * who may not be back yet behind an outage (ask.Q4), and of an outage of the bus. A new asker is a row here.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createFault } from '../../actors/run/effects/fault.ts';
import { interruptAll } from '../../actors/run/preemption.ts';
import { unreadiness } from '../../actors/run/readiness.ts';
import type { RunAtHand, RunServices } from '../../actors/run/services.ts';
import { standDown, unconfirmedText } from '../../actors/run/stand-down.ts';
import { createEncoder } from '../../actors/telecommand/effects/encode.ts';
import { sendFrame } from '../../actors/telecommand/sending.ts';
import { Cfdp } from '../../actors/transfer/cfdp.ts';
import { DecodingOffers } from '../../actors/transfer/decoding.ts';
import { type ArchiveState, packAnswer } from '../../contract/archive-wire.ts';
import { streams } from '../../contract/bus/streams.ts';
import { ByteRanges } from '../../contract/byte-ranges.ts';
import { CFDP_ASK_MS } from '../../contract/limits/cfdp.ts';
import { CONNECTOR_AGAIN_MS } from '../../contract/limits/connector.ts';
import { Outage, type OutageCode } from '../../contract/outage.ts';
import type { StoredTransfer } from '../../contract/transfer.ts';
import { askAlarmService } from '../../http/alarm-command.ts';
import { askDriver } from '../../http/driver.ts';
import { firstState } from '../../http/frames/first-state.ts';
import { askForFaults } from '../../http/gateway.ts';
import { Processes } from '../../http/inspect/processes.ts';
import { LinkEnds } from '../../http/link-ends.ts';
import { askHolder } from '../../http/run-control.ts';
import { linkRefusal } from '../../http/run-links.ts';
import { callUnit } from '../../http/unit-call.ts';
import { UnitGateways } from '../../http/unit-gateways.ts';
import { ConnectorRegistration } from '../../messaging/connector-registration.ts';
import { HandOvers } from '../../messaging/hand-overs.ts';
import { HistoryAsker } from '../../messaging/history-asker.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import { NO_PASSES } from '../../mission/pass/serving-gateway.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';
import { forwardCfdp } from '../../supervision/cfdp/forward.ts';
import { sendPdus } from '../../supervision/cfdp/send-pdus.ts';
import { Receiver } from '../../supervision/reconciler/receiver.ts';
import { DOWN, missionOf } from '../links/cfdp/group-world.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { demoMission } from '../support/missions.ts';
import { leaf, ping, programOf } from '../support/run-program.ts';
import { keptLog } from '../support/silent-log.ts';

interface World {
  readonly bus: Bus;
  readonly clock: ManualClock;
  readonly handOvers: HandOvers;
}

const OUTCOMES = ['answered', 'unserved', 'unanswered', 'notBack', 'unreadable', 'away'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** It is asked again until the bus, or whoever was on his way back, answers. */
const WAITS = Symbol('waits');
/** The outage of the bus goes to whoever called. */
const THROWS = Symbol('throws');

interface Asker {
  readonly file: string;
  readonly as?: string;
  /** What a good answer is. */
  readonly answer: object;
  readonly ask: (world: World) => unknown;
  readonly made: Readonly<Record<Outcome, unknown>>;
}

const mission = demoMission();
const target = mission.targets.get('sat1')!;
const { signal } = new AbortController();
const program = programOf(mission.revision, [leaf('a', [ping()])]);
const atHand = { run: 'r', program, mission, by: undefined, holds: () => true } as RunAtHand;
const services = ({ bus, clock, handOvers }: World): RunServices =>
  ({ bus, clock, handOvers, log: keptLog() }) as unknown as RunServices;
const sentEvent = { event: 'telecommand_sent', path: 'a', tc: 't', target: 'sat1', telecommand: 'obc.ping' };
const LONG_MS = 120_000;
/** Of the cell: another process may have been about to serve it. */
const ABSENT = 'is not running: nobody has served it for 10 s';

const refusal = (code: string, message: string) => ({ ok: false, faults: [{ code, message }] });
const late = (seconds: number): string => `did not answer within ${seconds} s`;

const noSamples = { samples: [], gaps: [], damaged: [], thinned: false };
const archiveState: ArchiveState = {
  archive: 'a1',
  instance: 'p1',
  epoch: 1,
  stream: 's',
  position: 0,
  read: 0,
  pending: 0,
  segments: 0,
  samples: 0,
  bytes: 0,
  waiting: 0,
};
const noArchive = (message: string) => refusal('archive::unanswered', `archive a1 (p1) ${message}`);

const ASKERS: readonly Asker[] = [
  {
    file: 'messaging/connector-registration.ts',
    answer: Buffer.from('{"ok":true,"value":{"registered":true}}'),
    ask: ({ bus, clock }) => {
      const registration = new ConnectorRegistration({
        bus: Object.assign(bus, { connected: true, onConnection: () => () => undefined }),
        clock,
        log: keptLog(),
        name: 'archive',
        instance: 'one',
        software: { name: 'archive', version: '1' },
        data: [{ kind: 'values', consumer: 'reader', by: 'position' }],
        state: () => ({ health: { state: 'ok' } }),
      });
      const end = clock.now() + 10 * CONNECTOR_AGAIN_MS;
      return new Promise((resolve) => {
        const look = (): void => {
          if (registration.registered) resolve('registered');
          else if (clock.now() > end) resolve('goes on asking');
          else clock.setTimeout(look, 100);
        };
        look();
      });
    },
    made: {
      answered: 'registered',
      unserved: 'goes on asking',
      unanswered: 'goes on asking',
      notBack: WAITS,
      unreadable: 'goes on asking',
      away: WAITS,
    },
  },
  {
    file: 'messaging/history-asker.ts',
    answer: packAnswer({ ok: true, value: noSamples }),
    ask: ({ bus, clock }) => {
      const asker = new HistoryAsker({
        bus: Object.assign(bus, {
          onConnection: () => () => undefined,
          publish: () => undefined,
          subscribe: (_subject: string, handle: (message: never) => void) => {
            handle({ data: Buffer.from(JSON.stringify(archiveState)) } as never);
            return { stop: async () => undefined };
          },
        }),
        clock,
        newId: () => 'q1',
      });
      const query = { target: 'sat1', measures: ['obc.uptime'], from: 0, to: 1, delivery: 'all' } as const;
      return asker.samples(query, { limit: 1 });
    },
    made: {
      answered: { ok: true, value: { value: noSamples, archive: archiveState } },
      unserved: noArchive('is not there any more'),
      unanswered: noArchive(late(20)),
      notBack: noArchive(late(20)),
      unreadable: noArchive('gave a malformed reply'),
      away: THROWS,
    },
  },
  {
    file: 'actors/telecommand/effects/encode.ts',
    answer: { ok: true, value: { frame: 'c0' } },
    ask: (world) => {
      const work = { submission: {}, definition: { mission, link: { driver: 'pus' } } };
      const run = { id: 'cell', key: 'k', epoch: 1, signal };
      return createEncoder(world).encode(
        { type: 'effect.encode' },
        { work, giveGateway: () => undefined, encoded: () => undefined } as never,
        run,
      );
    },
    made: {
      answered: { type: 'driver.encoded', frame: 'c0' },
      unserved: { type: 'driver.refused', detail: 'driver pus is not running' },
      unanswered: { type: 'driver.refused', detail: `driver pus ${late(5)}` },
      notBack: WAITS,
      unreadable: { type: 'driver.refused', detail: 'driver pus answered something that is no encoding' },
      away: WAITS,
    },
  },
  {
    file: 'actors/telecommand/sending.ts',
    answer: { outcome: 'sent', at: 5 },
    ask: (world) =>
      sendFrame(world, {
        gateway: 'gw',
        isOfCell: true,
        frame: { target: 't', key: 'k', epoch: 1, frame: '' },
        recovering: undefined,
        expiresAt: LONG_MS,
        hold: undefined,
        unheld: async () => undefined,
        position: async () => undefined,
        signal,
      }),
    made: {
      answered: { outcome: 'sent', at: 5 },
      unserved: { outcome: 'refused', detail: `gateway gw ${ABSENT}` },
      unanswered: {
        outcome: 'unknown',
        detail: `gateway gw ${late(10)}: nobody knows whether it sent the frame`,
      },
      notBack: WAITS,
      unreadable: {
        outcome: 'unknown',
        detail: 'gateway gw answered something that is no outcome: nobody knows whether it sent the frame',
      },
      away: WAITS,
    },
  },
  {
    file: 'actors/run/readiness.ts',
    answer: { link: { state: 'up' } },
    ask: ({ bus, clock, handOvers }) =>
      retryWhileBusIsAway({ clock, signal }, () =>
        unreadiness({ bus, clock, handOvers, signal, passes: NO_PASSES }, mission, program),
      ).then((ready) => ready?.value),
    made: {
      answered: [],
      unserved: [
        'sat1 is not ready: driver pus is not running',
        `sat1 is not ready: gateway sim-1 ${ABSENT}`,
      ],
      unanswered: [`sat1 is not ready: driver pus ${late(2)}`, `sat1 is not ready: gateway sim-1 ${late(2)}`],
      notBack: WAITS,
      unreadable: [],
      away: WAITS,
    },
  },
  {
    file: 'actors/run/effects/fault.ts',
    answer: { ok: true, value: { faults: [] } },
    ask: (world) => {
      const fault = { target: 'sat1', gateway: 'sim-1', fault: 'tm_silence' };
      const effect = { type: 'effect.fault', index: 3, fault, on: true, at: 0 };
      return createFault(services(world))(effect as never, atHand, signal);
    },
    made: {
      answered: { type: 'fault.switched', fault: 3 },
      unserved: { type: 'fault.refused', reason: `gateway sim-1 ${ABSENT}` },
      unanswered: { type: 'fault.refused', reason: `gateway sim-1 ${late(5)}`, mayBeDone: true },
      notBack: WAITS,
      unreadable: { type: 'fault.refused', reason: 'malformed reply from gateway sim-1', mayBeDone: true },
      away: WAITS,
    },
  },
  {
    file: 'actors/transfer/cfdp.ts',
    answer: { ok: true, value: { outcome: 'running', bytes: 3 } },
    ask: ({ bus, clock }) =>
      new Promise((resolve) => {
        const cfdp = new Cfdp({
          bus,
          clock,
          log: keptLog(),
          links: { of: () => ({ link: { driver: 'pus', name: 'uhf' } }) as never },
          leases: { ask: () => ({}) as never },
          holds: () => true,
          waits: {
            turn: () => undefined,
            failed: (_key, reason) => resolve({ reason: reason ?? 'it goes on' }),
            forget: () => undefined,
          },
          events: { asked: () => undefined } as never,
        });
        const record = {
          target: 'sat1',
          file_id: '7',
          generation: 1,
          direction: 'download',
          size: 10,
          actor: {},
        };
        const transfer = {
          key: 'k',
          record: { ...record, priority: 0, created_at: '' },
          received: new ByteRanges(),
        };
        const turn = (): void => {
          cfdp.turn({ mission } as never, [transfer as never]);
          clock.setTimeout(turn, CFDP_ASK_MS);
        };
        turn();
      }),
    made: {
      answered: { reason: 'it goes on' },
      unserved: { reason: 'driver pus is not there: no process serves it' },
      unanswered: { reason: 'driver pus did not answer in time' },
      notBack: WAITS,
      unreadable: { reason: expect.stringContaining('driver pus gave a malformed reply') },
      away: WAITS,
    },
  },
  {
    file: 'supervision/cfdp/forward.ts',
    answer: { ok: true, value: { outcome: 'running', bytes: 3 } },
    ask: (world) => {
      const files = missionOf();
      const tools = { ...world, passes: NO_PASSES };
      return forwardCfdp(tools, files.drivers.get('pus')!, DOWN, files);
    },
    made: {
      answered: { ok: true, value: { outcome: 'running', bytes: 3 } },
      unserved: refusal(
        'driver::cfdp-failed',
        'no process has the files of gateway group g now: start one with role drivers, or wait until one has taken it over',
      ),
      unanswered: refusal(
        'driver::cfdp-failed',
        'the process that has the files of gateway group g did not answer in time',
      ),
      notBack: refusal(
        'driver::cfdp-failed',
        'the process that has the files of gateway group g did not answer in time',
      ),
      unreadable: refusal(
        'driver::cfdp-failed',
        'malformed reply of the process that has the files of gateway group g: [[',
      ),
      away: THROWS,
    },
  },
  {
    file: 'supervision/cfdp/send-pdus.ts',
    answer: { outcome: 'sent', frames: 2 },
    ask: ({ bus }) =>
      sendPdus(bus, 'g', {
        target: 't',
        group: 'g',
        epoch: 1,
        key: 'k',
        frames: ['00', '01'],
        notAfter: LONG_MS,
      }),
    made: {
      answered: { frames: 2 },
      unserved: { frames: 0, refused: 'it does not run, or does not know the verb pdus' },
      unanswered: { frames: 0, refused: 'it did not answer in time' },
      notBack: { frames: 0, refused: 'it did not answer in time' },
      unreadable: { frames: 0, refused: 'malformed reply: [[' },
      away: { frames: 0, refused: 'the bus is away' },
    },
  },
  {
    file: 'actors/transfer/decoding.ts',
    answer: { outcome: 'decoded', samples: 3 },
    ask: (world) => {
      const record = { target: 'sat1', file_id: '7', generation: 1, file_type: 1 };
      return new DecodingOffers(world).offer(record as StoredTransfer, 0, signal);
    },
    made: {
      answered: { outcome: 'decoded', samples: 3 },
      unserved: { outcome: 'failed', reason: 'no driver decodes files of the target' },
      unanswered: { outcome: 'failed', reason: 'its driver did not answer in time' },
      notBack: WAITS,
      unreadable: { outcome: 'failed', reason: 'malformed reply of its driver' },
      away: WAITS,
    },
  },
  {
    file: 'actors/run/preemption.ts',
    answer: { outcome: 'accepted' },
    ask: (world) =>
      interruptAll(['r'], {
        by: 'alarm x',
        services: services(world),
        isOwner: () => true,
        signal,
      }).then((told) => [...told]),
    made: { answered: ['r'], unserved: [], unanswered: [], notBack: [], unreadable: [], away: THROWS },
  },
  {
    file: 'actors/run/stand-down.ts',
    answer: { fenced: true },
    ask: ({ bus, clock }) =>
      standDown({
        bus,
        clock,
        open: [sentEvent as never],
        mark: async () => undefined,
        run: { run: 'r', by: undefined, program, mission },
      }).then((unconfirmed) => unconfirmed.map(unconfirmedText)),
    made: {
      answered: [],
      unserved: ['t to sat1 (gateway sim-1 does not answer)'],
      unanswered: ['t to sat1 (gateway sim-1 does not answer)'],
      notBack: WAITS,
      unreadable: ['t to sat1 (gateway sim-1 does not answer)'],
      away: WAITS,
    },
  },
  {
    file: 'http/driver.ts',
    as: 'bound to the link',
    answer: { ok: true, value: { frame: 'c0' } },
    ask: ({ bus, clock }) =>
      askDriver({ name: 'pus', explicit: false }, 'encode', {}, { bus, clock, log: keptLog() }),
    made: {
      answered: { ok: true, value: { frame: 'c0' } },
      unserved: refusal('driver::no-answer', 'driver pus is not running'),
      unanswered: refusal('driver::no-answer', 'driver pus did not answer within 5000 ms'),
      notBack: refusal('driver::no-answer', 'driver pus did not answer within 5000 ms'),
      unreadable: refusal('driver::no-answer', 'malformed reply from driver pus'),
      away: THROWS,
    },
  },
  {
    file: 'http/driver.ts',
    as: 'named by the request',
    answer: { ok: true, value: { samples: [] } },
    ask: ({ bus, clock }) =>
      askDriver({ name: 'pus', explicit: true }, 'decode', {}, { bus, clock, log: keptLog() }),
    made: {
      answered: { ok: true, value: { samples: [] } },
      unserved: refusal('api::unknown-instance', 'no driver pus is registered'),
      unanswered: refusal('driver::no-answer', 'driver pus did not answer within 5000 ms'),
      notBack: refusal('driver::no-answer', 'driver pus did not answer within 5000 ms'),
      unreadable: refusal('driver::no-answer', 'malformed reply from driver pus'),
      away: THROWS,
    },
  },
  {
    file: 'http/gateway.ts',
    answer: { ok: true, value: { faults: [{ fault: 'f', on: true }] } },
    ask: ({ bus }) => askForFaults('sim-1', undefined, { bus, log: keptLog() }),
    made: {
      answered: { ok: true, value: [{ fault: 'f', on: true }] },
      unserved: refusal('sim::timeout', 'gateway sim-1 is not running'),
      unanswered: refusal('sim::timeout', 'gateway sim-1 did not answer within 5000 ms'),
      notBack: refusal('sim::timeout', 'gateway sim-1 did not answer within 5000 ms'),
      unreadable: refusal('sim::timeout', 'malformed reply from gateway sim-1'),
      away: THROWS,
    },
  },
  ...(['simulator', 'external'] as const).map((kind): Asker => {
    const asked = { ...program, environment: 'in_orbit' };
    const noLink = (reason: string) =>
      refusal('run::no-link', `target sat1 has no link: gateway sim-1 ${reason}`);
    return {
      file: 'http/run-links.ts',
      as: `of a gateway of kind ${kind}`,
      answer: { link: { state: 'silent' } },
      ask: ({ bus, clock }) =>
        linkRefusal(asked, orbitBy(kind), { bus, clock, passes: NO_PASSES }).then((made) => made ?? 'a link'),
      made: {
        answered: 'a link',
        unserved: kind === 'external' ? 'a link' : noLink('is not running'),
        unanswered: noLink('did not answer within 1000 ms'),
        notBack: noLink('did not answer within 1000 ms'),
        unreadable: 'a link',
        away: THROWS,
      },
    };
  }),
  {
    file: 'http/link-ends.ts',
    as: 'of a gateway',
    answer: { link: { state: 'silent' } },
    ask: ({ bus, clock }) => new LinkEnds(target, null, { bus, clock }).gateway('gw', 'uhf', []),
    made: {
      answered: { state: 'silent' },
      unserved: { state: 'absent', reason: 'no process runs it' },
      unanswered: { state: 'absent', reason: 'it did not answer within 1000 ms' },
      notBack: { state: 'absent', reason: 'it did not answer within 1000 ms' },
      unreadable: { state: 'up' },
      away: THROWS,
    },
  },
  {
    file: 'http/unit-gateways.ts',
    answer: { link: { state: 'silent' } },
    ask: ({ bus, clock }) => new UnitGateways({ bus, clock }).state('gw'),
    made: {
      answered: { registered: true, health: { state: 'silent' }, links: [] },
      unserved: { registered: false, health: { state: 'absent', reason: 'no process runs it' } },
      unanswered: {
        registered: false,
        health: { state: 'absent', reason: 'it did not answer within 1000 ms' },
      },
      notBack: {
        registered: false,
        health: { state: 'absent', reason: 'it did not answer within 1000 ms' },
      },
      unreadable: { registered: true, health: { state: 'up' }, links: [] },
      away: THROWS,
    },
  },
  {
    file: 'http/unit-call.ts',
    answer: { ok: true, value: { passed: true } },
    ask: ({ bus }) => callUnit('bench-07', 'selftest', {}, { bus, log: keptLog() }),
    made: {
      answered: { ok: true, value: { passed: true } },
      unserved: refusal('unit::unknown', 'no unit bench-07 answers'),
      unanswered: refusal('unit::timeout', 'unit bench-07 did not answer within 30 s'),
      notBack: refusal('unit::timeout', 'unit bench-07 did not answer within 30 s'),
      unreadable: refusal('unit::timeout', 'malformed reply from unit bench-07'),
      away: THROWS,
    },
  },
  {
    file: 'http/run-control.ts',
    answer: { outcome: 'accepted' },
    ask: ({ bus, clock }) => askHolder('r', { action: 'abort', by: 'ana' }, { bus, clock, newId: () => 'i' }),
    made: {
      answered: { outcome: 'accepted' },
      unserved: { outcome: 'over' },
      unanswered: { outcome: 'unknown', reason: 'no executor has answered for it within 30 s' },
      notBack: WAITS,
      unreadable: { outcome: 'unknown', reason: 'no executor has answered for it within 30 s' },
      away: THROWS,
    },
  },
  {
    file: 'http/alarm-command.ts',
    answer: { outcome: 'accepted' },
    ask: ({ bus }) =>
      askAlarmService({ target: 'sat1', component: 'eps', alarm: 'low' }, { action: 'x' } as never, 5_000, {
        bus,
      }),
    made: {
      answered: {
        ok: true,
        value: { status: 202, body: { target: 'sat1', component: 'eps', alarm: 'low' } },
      },
      unserved: refusal('alarm::no-service', 'no alarm service runs at the moment'),
      unanswered: refusal('alarm::timeout', 'the alarm service did not answer within 5000 ms'),
      notBack: refusal('alarm::timeout', 'the alarm service did not answer within 5000 ms'),
      unreadable: refusal('alarm::timeout', 'malformed reply from the alarm service'),
      away: THROWS,
    },
  },
  {
    file: 'http/inspect/processes.ts',
    answer: refusal('inspect::unknown', 'no such entity'),
    ask: ({ bus, clock }) => new Processes(bus, clock).ask({ instance: 'p', seenAt: 0 }, 'entity', {}),
    made: {
      answered: { answer: refusal('inspect::unknown', 'no such entity') },
      unserved: { silent: { instance: 'p', why: 'gone' } },
      unanswered: { silent: { instance: 'p', why: 'slow' } },
      notBack: { silent: { instance: 'p', why: 'slow' } },
      unreadable: { silent: { instance: 'p', why: 'refused' } },
      away: THROWS,
    },
  },
  ...(['simulator', 'external'] as const).map((kind): Asker => {
    const down = { gateway: 'gw', link: { state: 'down', reason: 'no process runs this gateway' } };
    return {
      file: 'http/frames/first-state.ts',
      as: `of a gateway of kind ${kind}`,
      answer: { gateway: 'gw', link: { state: 'up', since: 1 } },
      ask: ({ bus }) => firstState({ name: 'gw', kind } as never, bus).then((state) => state ?? 'not known'),
      made: {
        answered: { gateway: 'gw', link: { state: 'up', since: 1 } },
        unserved: kind === 'external' ? 'not known' : down,
        unanswered: 'not known',
        notBack: 'not known',
        unreadable: 'not known',
        away: 'not known',
      },
    };
  }),
  {
    file: 'supervision/reconciler/receiver.ts',
    answer: { outcome: 'kept' },
    ask: ({ bus, clock }) => bound(bus, clock),
    made: {
      answered: [],
      unserved: 'not heard',
      unanswered: 'not heard',
      notBack: WAITS,
      // It would not understand it at the next try either.
      unreadable: ['a binding of a link was refused'],
      away: WAITS,
    },
  },
];

/** The demo mission with gateways of this kind. */
function orbitBy(kind: 'simulator' | 'external'): typeof mission {
  const gateways = [...mission.gateways].map(([name, gateway]) => [name, { ...gateway, kind }] as const);
  return { ...mission, gateways: new Map(gateways) } as typeof mission;
}

/** What a receiver logs until it counts a binding as received. */
async function bound(bus: Bus, clock: ManualClock): Promise<unknown> {
  const log = keptLog();
  const delivered: string[] = [];
  const counted: Bus['request'] = async (...question) => {
    const answer = await bus.request(...question);
    delivered.push('heard');
    return answer;
  };
  const receiver = new Receiver({
    bus: { request: counted } as unknown as Bus,
    clock,
    random: { next: () => 1 },
    log,
    subject: 'mcs.ctl.rpc.driver.pus.bind',
    stamp: () => ({ epoch: 7, seq: 1 }),
    failed: (error) => expect.fail(String(error)),
  });
  receiver.want([{ target: 'sat1', link: 'uhf', mode: 'safe', parameters: {}, overrides: {} }]);
  for (let tries = 0; tries < 100 && delivered.length === 0; tries += 1) await clock.run(500, 500);
  await receiver.stop();
  return delivered.length === 0 ? 'not heard' : log.said.map(({ message }) => message);
}

const outage = (code: OutageCode, unsettled = false): Outage => new Outage(code, 'said', { unsettled });

/** Each asking ends like this; where the bus was away or nobody was back, the third and later ones are answered. */
function worldOf(outcome: Outcome, answer: object): World & { readonly asked: () => number } {
  let asked = 0;
  const request = async (): Promise<Uint8Array> => {
    asked += 1;
    if (outcome === 'unserved') throw outage('bus.no-responder');
    if (outcome === 'unanswered') throw outage('bus.timeout');
    if (outcome === 'notBack' && asked < 3) throw outage('bus.timeout', true);
    if (outcome === 'away' && asked < 3) throw outage('bus.unavailable');
    return outcome === 'unreadable' ? Buffer.from('[[') : answerBytes(answer);
  };
  const message = (body: object): StreamMessage =>
    ({ data: Buffer.from(JSON.stringify(body)), headers: {}, seq: 4, at: 0 }) as unknown as StreamMessage;
  const event = message({ state: 'ENCODED', at: new Date(0).toISOString() });
  const bus = {
    request,
    connected: true,
    last: async ({ name }: { name: string }) => {
      if (name === streams.telecommandEvents.name) return event;
      return name === streams.runs.name ? message({ seq: 1, event: 'started' }) : undefined;
    },
  } as unknown as Bus;
  const clock = new ManualClock(0);
  return { bus, clock, handOvers: new HandOvers(clock), asked: () => asked };
}

function answerBytes(answer: object): Uint8Array {
  return answer instanceof Uint8Array ? answer : Buffer.from(JSON.stringify(answer));
}

/** Lets time pass until the asker is done. */
async function end(made: unknown, clock: ManualClock): Promise<unknown> {
  let isOver = false;
  const said = Promise.resolve(made).then(
    (value) => value,
    (error: unknown) => error,
  );
  void said.finally(() => {
    isOver = true;
  });
  await settled();
  for (let ms = 0; ms < LONG_MS && !isOver; ms += 50) await clock.run(50, 50);
  expect(isOver).toBe(true);
  return said;
}

const rows = ASKERS.flatMap((asker) => OUTCOMES.map((outcome) => ({ asker, outcome })));

describe('who asks over the bus', () => {
  it.each(rows.map((row) => [`${row.asker.file} ${row.asker.as ?? ''}`, row.outcome, row.asker] as const))(
    '%s: %s',
    async (_name, outcome, { answer, ask, made }) => {
      const world = worldOf(outcome, answer);
      const said = await end(ask(world), world.clock);
      const expected = made[outcome];
      if (expected === THROWS) {
        expect(said).toBeInstanceOf(Outage);
        expect(said).toMatchObject({ code: 'bus.unavailable' });
        return;
      }
      if (said instanceof Error) throw said;
      if (expected === WAITS) expect(world.asked()).toBeGreaterThan(2);
      const wanted = expected === WAITS ? made.answered : expected;
      if (wanted === null || typeof wanted !== 'object') expect(said).toBe(wanted);
      else if (Array.isArray(wanted)) expect(said).toEqual(wanted);
      else expect(said).toMatchObject(wanted);
    },
  );

  it('is in the table', () => {
    const folders = ['actors', 'cli', 'http', 'messaging', 'supervision'];
    const files = folders.flatMap((folder) =>
      (readdirSync(folder, { recursive: true }) as string[]).map((file) => `${folder}/${file}`),
    );
    // These are for those who call them.
    const among = ['messaging/hand-overs.ts', 'messaging/driver-question.ts'];
    const asks = /from '(?:\.|.*messaging)\/ask\.ts'|\bhandOvers\.ask\(/;
    const askers = files.filter(
      (file) => file.endsWith('.ts') && !among.includes(file) && asks.test(readFileSync(file, 'utf8')),
    );
    expect(askers.sort()).toEqual([...new Set(ASKERS.map(({ file }) => file))].sort());
  });
});
