/**
 * `mcs tc`: a thin client of the telecommand routes. Sends one telecommand and follows it to its final state, or
 * watches all of them. Exit code of `send`: 0 when it ended VERIFIED or COMPLETE, 1 otherwise.
 */

import { parseArgs } from 'node:util';
import type { TcEvent, TcReply } from '../contract/telecommand.ts';
import { isGoodTcEnd } from '../contract/telecommand-state.ts';
import { followOnce, whenEnded } from './followed.ts';
import { request } from './request.ts';
import { SERVICE_OPTIONS, SERVICE_USAGE, type Service, serviceOf } from './service.ts';
import { readPairs, readValue } from './written-value.ts';

const USAGE = `mcs tc send TARGET TELECOMMAND [argument=value …] [--instance I] [--link L] [--environment E] [--id ULID]
mcs tc watch [TARGET]
${SERVICE_USAGE}`;

interface Options {
  readonly service: Service;
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
      ...SERVICE_OPTIONS,
      instance: { type: 'string' },
      link: { type: 'string' },
      environment: { type: 'string' },
      id: { type: 'string' },
    },
  });
  const { api, user, role, token, ...fields } = values;
  return {
    service: serviceOf({ api, user, role, token }),
    words: positionals,
    fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >,
  };
}

async function send({ service, words, fields }: Options): Promise<number> {
  const [target, telecommand, ...pairs] = words;
  if (target === undefined || telecommand === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const body = { target, telecommand, ...fields, ...(pairs.length > 0 && { args: readArguments(pairs) }) };
  const reply = await request<TcReply>(service, 'POST', '/v1/tc', body);
  if (reply === undefined) return 1;
  process.stdout.write(`${reply.id}${reply.duplicate ? ' (already submitted, nothing new sent)' : ''}\n`);
  const last = await follow(service, `/v1/tc/${target}/${reply.id}/events`, (event) =>
    process.stdout.write(line(event)),
  );
  return last !== undefined && isGoodTcEnd(last.state) ? 0 : 1;
}

async function watch({ service, words: [target] }: Options): Promise<number> {
  const query = target === undefined ? '' : `?target=${encodeURIComponent(target)}`;
  await follow(service, `/v1/tc/watch${query}`, (event) =>
    process.stdout.write(`${event.target}  ${event.tc}${line(event)}`),
  );
  return 0;
}

function readArguments(pairs: readonly string[]): Record<string, string | number | boolean> {
  return Object.fromEntries(readPairs(pairs, 'an argument').map(([name, text]) => [name, readValue(text)]));
}

/** Calls `heard` for each event; resolves with the last one when the service closes or it is interrupted. */
async function follow(
  service: Service,
  path: string,
  received: (event: TcEvent) => void,
): Promise<TcEvent | undefined> {
  let last: TcEvent | undefined;
  const { signal } = whenEnded();
  const outcome = await followOnce<TcEvent>(service, path, signal, (event) => {
    if (event.state !== 'ECHO') last = event;
    received(event);
  });
  if (outcome.kind !== 'over' && !signal.aborted) throw new Error(outcome.said);
  return last;
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
