/**
 * `mcs tc`: a thin client of the telecommand routes. Sends one telecommand and follows it to its final state, or
 * watches all of them. Exit code of `send`: 0 when it ended VERIFIED or COMPLETE, 1 otherwise.
 */

import type { TcEvent, TcReply } from '../contract/telecommand.ts';
import { isGoodTcEnd } from '../contract/telecommand-state.ts';
import { defineCommand, defineVerbs } from './command.ts';
import { followOnce, whenEnded } from './followed.ts';
import { isMeant } from './hazard.ts';
import { printJsonLine } from './print-json.ts';
import { request } from './request.ts';
import { type Service, serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';
import { list } from './tc-list.ts';
import { readPairs, readValue } from './written-value.ts';

const SEND_USAGE = `mcs tc send TARGET TELECOMMAND [argument=value …] [--instance I] [--link L] [--environment E] [--id ULID]
            [--hazardous] [--json]
  sends it and follows it to its end; exit code 0: VERIFIED or COMPLETE; --json: its events, one in a line
  the name of a hazardous one is asked for again; --hazardous: it is not, and a script needs that
`;

const WATCH_USAGE = `mcs tc watch [TARGET] [--json]
  telecommands as they go; --json: one JSON in a line
`;

const FIELDS = ['instance', 'link', 'environment', 'id'] as const;

const send = defineCommand({
  usage: SEND_USAGE,
  words: ['TARGET', 'TELECOMMAND'],
  rest: 'argument=value',
  options: {
    ...JSON_OPTIONS,
    instance: { type: 'string' },
    link: { type: 'string' },
    environment: { type: 'string' },
    id: { type: 'string' },
    hazardous: { type: 'boolean' },
  },
  async run({ words: [target, telecommand], rest: pairs, values }) {
    const [service, json] = [serviceOf(values), values.json === true];
    const fields = FIELDS.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
    const args = pairs.length > 0 ? { args: readArguments(pairs) } : {};
    const body = { target, telecommand, ...Object.fromEntries(fields), ...args };
    if (values.hazardous !== true && !(await isMeant(service, { target, telecommand }))) return 1;
    const reply = await request<TcReply>(service, 'POST', '/v1/tc', body);
    if (reply === undefined) return 1;
    const { id, duplicate } = reply;
    if (!json) process.stdout.write(`${id}${duplicate ? ' (already submitted, nothing new sent)' : ''}\n`);
    const show = json ? printJsonLine : (event: TcEvent): void => void process.stdout.write(line(event));
    const last = await follow(service, `/v1/tc/${target}/${id}/events`, show);
    return last !== undefined && isGoodTcEnd(last.state) ? 0 : 1;
  },
});

const watch = defineCommand({
  usage: WATCH_USAGE,
  words: ['[TARGET]'],
  options: JSON_OPTIONS,
  async run({ words: [target], values }) {
    const query = target === undefined ? '' : `?target=${encodeURIComponent(target)}`;
    const show = (event: TcEvent): void =>
      void process.stdout.write(`${event.target}  ${event.tc}${line(event)}`);
    await follow(serviceOf(values), `/v1/tc/watch${query}`, values.json === true ? printJsonLine : show);
    return 0;
  },
});

export const tc = defineVerbs('tc', { send, list, watch });

function readArguments(pairs: readonly string[]): Record<string, string | number | boolean> {
  return Object.fromEntries(readPairs(pairs, 'an argument').map(([name, text]) => [name, readValue(text)]));
}

/** Calls `received` for each event; resolves with the last one when the service closes or it is interrupted. */
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
