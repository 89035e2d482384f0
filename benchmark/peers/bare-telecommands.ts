/**
 * Ceilings of the telecommands, without state machine, driver or gateway. `publish`: one process publishes as many
 * messages as the telecommands have, in as many lanes, each lane waiting for its acknowledgement. `lanes`: it follows
 * the submissions, one consumer per lane, and publishes the events of each before it takes the next.
 */

import { App, LIBUS_LISTEN_EXCLUSIVE_PORT, us_socket_local_port } from 'uWebSockets.js';
import { type MsgHdrs, headers as newHeaders } from 'nats';
import { type BareBus, connectBare, followBare } from '../bare-bus.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';

const STATES = ['PENDING', 'ENCODED', 'SENT', 'COMPLETE'];
/** What the executor puts into the headers of an ENCODED event. */
const FRAME = '1873c00000072f080100000700ab';

let bus: BareBus;
let publications = 0;

async function start(address: BusAddress): Promise<void> {
  bus = await connectBare(address);
}

/** `count` times a submission and its events; resolves with the ms it took. */
async function publish({ count, lanes }: { count: number; lanes: number }): Promise<number> {
  const start = performance.now();
  let next = 0;
  const lane = async (_: unknown, number: number): Promise<void> => {
    while (next < count) {
      next += 1;
      publications += 1;
      const id = `${process.pid}-${publications}`.padStart(26, '0');
      const submission = {
        id,
        target: `sat${number}`,
        component: 'camera',
        telecommand: 'ping',
        args: {},
        link: 'uhf',
      };
      await bus.jetstream.publish(`bench.publish.${number}`, Buffer.from(JSON.stringify(submission)), {
        msgID: id,
      });
      await publishEvents(`sat${number}`, id);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return performance.now() - start;
}

async function publishEvents(target: string, id: string): Promise<void> {
  let last = 0;
  for (const state of STATES) {
    const event = { tc: id, state, at: new Date().toISOString() };
    const ack = await bus.jetstream.publish(`bench.evt.${target}.${id}`, Buffer.from(JSON.stringify(event)), {
      msgID: `${id}-${state}`,
      expect: { lastSubjectSequence: last },
      headers: eventHeaders(state),
    });
    last = ack.seq;
  }
}

function eventHeaders(state: string): MsgHdrs {
  const headers = newHeaders();
  headers.set('Mcs-Epoch', '1');
  if (state === 'ENCODED') headers.set('Mcs-Frame', FRAME);
  return headers;
}

/** Follows the submissions of each target from now on, and serves their POST; resolves with the port. */
async function lanes(targets: readonly string[]): Promise<number> {
  for (const target of targets) await follow(target);
  return serve();
}

function follow(target: string): Promise<void> {
  return followBare(bus, `bench.submit.${target}`, async ({ data }) => {
    const { id } = JSON.parse(Buffer.from(data).toString()) as { id: string };
    await publishEvents(target, id);
  });
}

function serve(): Promise<number> {
  const app = App().post('/v1/tc', (res) => {
    res.onAborted(() => undefined);
    res.onData((data) => {
      const text = Buffer.from(data).toString();
      const { id, target } = JSON.parse(text) as { id: string; target: string };
      void bus.jetstream
        .publish(`bench.submit.${target}`, Buffer.from(text), { msgID: id })
        .then(() => res.cork(() => res.writeStatus('202 Accepted').end('{}')));
    });
  });
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket) resolve(us_socket_local_port(socket as never));
      else reject(new Error('cannot listen'));
    });
  });
}

answerCalls({ start, publish, lanes });
