/**
 * `mcs tc`: a thin client of the telecommand routes. Sends one telecommand and follows it to its final state, or watches
 * all of them. Exit code of `send`: 0 when it ended VERIFIED or COMPLETE, 1 otherwise.
 */

import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import type { TcEvent, TcReply } from '../contract/telecommand.ts';
import { request } from './request.ts';

const USAGE = `mcs tc send TARGET TELECOMMAND [argument=value …] [--instance I] [--link L] [--environment E] [--id ULID]
mcs tc watch [TARGET]
options: --api URL (default $MCS_API or http://127.0.0.1:8400), --user NAME (default $USER)
`;

interface Options {
  readonly api: string;
  readonly user: string | undefined;
  readonly words: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
}

export async function tc([verb, ...rest]: string[]): Promise<number> {
  if (verb === 'send') return send(readOptions(rest));
  if (verb === 'watch') return watch(readOptions(rest));
  process.stderr.write(USAGE);
  return 2;
}

function readOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      api: { type: 'string' },
      user: { type: 'string' },
      instance: { type: 'string' },
      link: { type: 'string' },
      environment: { type: 'string' },
      id: { type: 'string' },
    },
  });
  const { api, user, ...fields } = values;
  return {
    api: api ?? process.env.MCS_API ?? 'http://127.0.0.1:8400',
    user: user ?? process.env.USER,
    words: positionals,
    fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >,
  };
}

async function send({ api, user, words, fields }: Options): Promise<number> {
  const [target, telecommand, ...pairs] = words;
  if (target === undefined || telecommand === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const body = { target, telecommand, ...fields, ...(pairs.length > 0 && { args: readArguments(pairs) }) };
  const reply = await request<TcReply>(api, 'POST', '/v1/tc', { body, user });
  if (reply === undefined) return 1;
  process.stdout.write(`${reply.id}${reply.duplicate ? ' (submitted before, nothing new sent)' : ''}\n`);
  const last = await follow(`${api}/v1/tc/${target}/${reply.id}/events`, (event) =>
    process.stdout.write(line(event)),
  );
  return last?.state === 'VERIFIED' || last?.state === 'COMPLETE' ? 0 : 1;
}

async function watch({ api, words: [target] }: Options): Promise<number> {
  const query = target === undefined ? '' : `?target=${encodeURIComponent(target)}`;
  await follow(`${api}/v1/tc/watch${query}`, (event) =>
    process.stdout.write(`${event.target}  ${event.tc}${line(event)}`),
  );
  return 0;
}

/** `exposure=10 ms` is a quantity, `on=true` a boolean, `n=3` a number; the service decides by the type it wants. */
function readArguments(pairs: readonly string[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new Error(`an argument is written name=value, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, at), readValue(pair.slice(at + 1))];
    }),
  );
}

function readValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
}

/** Calls `heard` for each event; resolves with the last one when the service closes. */
function follow(url: string, heard: (event: TcEvent) => void): Promise<TcEvent | undefined> {
  return new Promise((resolve, reject) => {
    let last: TcEvent | undefined;
    const socket = new WebSocket(url.replace(/^http/, 'ws'));
    socket.on('message', (data) => {
      const event = JSON.parse(String(data)) as TcEvent;
      if (event.state !== 'ECHO') last = event;
      heard(event);
    });
    socket.on('error', (error) => reject(new Error(`${url}: ${error.message}`)));
    socket.on('close', () => resolve(last));
  });
}

function line({ at, state, detail, conforming, telecommand, by }: TcEvent): string {
  const name = telecommand && path(telecommand);
  const facts = [name, by === undefined ? undefined : `by ${by}`, detail, conformity(conforming)];
  const said = facts.filter((fact) => fact !== undefined).join(', ');
  return `  ${at}  ${state.padEnd(14)} ${said}\n`;
}

function path({ component, instance, telecommand }: NonNullable<TcEvent['telecommand']>): string {
  return `${component}${instance === undefined ? '' : `[${instance}]`}.${telecommand}`;
}

function conformity(conforming: boolean | undefined): string | undefined {
  if (conforming === undefined) return undefined;
  return conforming ? 'as sent' : 'NOT as sent';
}
