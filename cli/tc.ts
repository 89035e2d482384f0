/**
 * `mcs tc`: a thin client of the telecommand routes. Sends one telecommand and follows it to its final state, or
 * watches all of them. Exit code of `send`: 0 when it ended VERIFIED or COMPLETE, 130 when it was interrupted, 1
 * otherwise.
 *
 * C1. The identifier is drawn here: where the answer is lost, whoever sends it again under the same one sends it once.
 * C2. Whoever follows a telecommand follows it to its end, over every loss of the connection. Its log is read from the
 *     beginning each time, and what was shown is not shown again.
 */

import { ulid } from 'ulid';
import type { TcEvent, TcReply } from '../contract/telecommand.ts';
import { isGoodTcEnd } from '../contract/telecommand-state.ts';
import { defineCommand, defineVerbs } from './command.ts';
import { AGAIN_MS, followInLines, followOnce, INTERRUPTED, pause, whenEnded } from './followed.ts';
import { isMeant } from './hazard.ts';
import { printJsonLine } from './print-json.ts';
import { printable } from './printable.ts';
import { ask, faultLine, Unanswered } from './request.ts';
import { type Service, serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';
import { list } from './tc-list.ts';
import { readPairs, readValue } from './written-value.ts';

const SEND_USAGE = `mcs tc send TARGET TELECOMMAND [argument=value …] [--instance I] [--link L] [--environment E] [--id ULID]
            [--hazardous] [--json]
  sends it and follows it to its end; exit code 0: VERIFIED or COMPLETE; --json: its events, one in a line
  --id: of one whose answer was lost, which is then sent once
  the name of a hazardous one is asked for again; --hazardous: it is not, and a script needs that
`;

const WATCH_USAGE = `mcs tc watch [TARGET] [--json]
  telecommands as they go; --json: one JSON in a line
`;

const FIELDS = ['instance', 'link', 'environment'] as const;

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
    const id = values.id ?? ulid();
    const body = { target, telecommand, ...Object.fromEntries(fields), id, ...args };
    if (values.hazardous !== true && !(await isMeant(service, { target, telecommand }))) return 1;
    const reply = await submitted(service, body);
    if (reply === undefined) return 1;
    if (!json)
      process.stdout.write(`${id}${reply.duplicate ? ' (already submitted, nothing new sent)' : ''}\n`);
    const show = json ? printJsonLine : (event: TcEvent): void => void process.stdout.write(line(event));
    const last = await followToEnd(service, `/v1/tc/${target}/${id}/events`, show);
    if (last !== 'interrupted') return last !== undefined && isGoodTcEnd(last.state) ? 0 : 1;
    process.stderr.write(`interrupted; the telecommand continues: mcs tc list ${target}\n`);
    return INTERRUPTED;
  },
});

const watch = defineCommand({
  usage: WATCH_USAGE,
  words: ['[TARGET]'],
  options: JSON_OPTIONS,
  async run({ words: [target], values }) {
    const query = target === undefined ? '' : `?target=${encodeURIComponent(target)}`;
    const show = (event: TcEvent): void =>
      void process.stdout.write(`${printable(`${event.target}  ${event.tc}`)}${line(event)}`);
    const received = values.json === true ? printJsonLine : show;
    return followInLines(serviceOf(values), `/v1/tc/watch${query}`, whenEnded(), received);
  },
});

export const tc = defineVerbs('tc', { send, list, watch });

function readArguments(pairs: readonly string[]): Record<string, string | number | boolean> {
  return Object.fromEntries(readPairs(pairs, 'an argument').map(([name, text]) => [name, readValue(text)]));
}

/** The reply, or undefined after a refusal; where nobody knows whether it was taken, that is printed too (C1). */
async function submitted(
  service: Service,
  body: { readonly id: string } & Readonly<Record<string, unknown>>,
): Promise<TcReply | undefined> {
  const unknown = `whether it was taken is not known: with --id ${body.id} the same command sends it once\n`;
  try {
    const answer = await ask<TcReply>(service, 'POST', '/v1/tc', body);
    if (answer.ok) return answer.reply;
    for (const fault of answer.faults) process.stderr.write(`${faultLine(fault)}\n`);
    if (answer.status >= 500) process.stderr.write(unknown);
    return undefined;
  } catch (error) {
    if (error instanceof Unanswered && error.mayBeTaken) process.stderr.write(unknown);
    throw error;
  }
}

/** Calls `received` for each event; resolves with the last one at its end (C2), throws where the service refuses. */
async function followToEnd(
  service: Service,
  path: string,
  received: (event: TcEvent) => void,
): Promise<TcEvent | undefined | 'interrupted'> {
  let last: TcEvent | undefined;
  let shown = 0;
  let reported = '';
  const { signal } = whenEnded();
  while (!signal.aborted) {
    let n = 0;
    const outcome = await followOnce<TcEvent>(service, path, signal, (event) => {
      reported = '';
      n += 1;
      if (n <= shown) return;
      shown = n;
      if (event.state !== 'ECHO') last = event;
      received(event);
    });
    if (signal.aborted) break;
    if (outcome.kind === 'over') return last;
    if (outcome.kind === 'refused') throw new Error(outcome.said);
    if (outcome.said !== reported) process.stderr.write(`-- ${outcome.said}; trying again\n`);
    reported = outcome.said;
    await pause(AGAIN_MS, signal);
  }
  return 'interrupted';
}

function line({ at, state, detail, conforming, telecommand, by }: TcEvent): string {
  const name = telecommand && path(telecommand);
  const facts = [name, by === undefined ? undefined : `by ${by}`, detail, conformity(conforming)];
  const said = facts.filter((fact) => fact !== undefined).join(', ');
  return `${printable(`  ${at}  ${state.padEnd(14)} ${said}`)}\n`;
}

function path({ component, instance, telecommand }: NonNullable<TcEvent['telecommand']>): string {
  return `${component}${instance === undefined ? '' : `[${instance}]`}.${telecommand}`;
}

function conformity(conforming: boolean | undefined): string | undefined {
  if (conforming === undefined) return undefined;
  return conforming ? 'as sent' : 'NOT as sent';
}
