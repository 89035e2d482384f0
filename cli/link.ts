/**
 * `mcs link watch`: the frames of a target as they pass, both ways, one line each. A thin client of the API: it ends with
 * Ctrl-C, with its reader (`| head`), or when the service refuses what is asked; a lost connection is told and tried again.
 */

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import type { Fault } from '../contract/errors.ts';
import type { LinkEvent } from '../contract/link-event.ts';
import { realClock } from '../supervision/clock.ts';
import { hexdump, type Look, linkLine } from './link-line.ts';

const USAGE = `mcs link watch TARGET [--link L] [--raw]
options: --api URL (default $MCS_API or http://127.0.0.1:8400)
`;
/** A service that restarts is back within seconds. */
const AGAIN_MS = 1_000;

export async function link([verb, ...args]: string[]): Promise<number> {
  const options = {
    api: { type: 'string' },
    link: { type: 'string' },
    raw: { type: 'boolean' },
  } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [target, ...more] = positionals;
  if (verb !== 'watch' || target === undefined || more.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const api = values.api ?? process.env.MCS_API ?? 'http://127.0.0.1:8400';
  const query = new URLSearchParams({
    ...(values.link !== undefined && { link: values.link }),
    ...(values.raw === true && { raw: 'true' }),
  });
  const path = `/v1/links/${encodeURIComponent(target)}/frames`;
  return watch(`${api.replace(/^http/, 'ws')}${path}?${query}`, values.raw ?? false);
}

async function watch(url: string, raw: boolean): Promise<number> {
  const ended = whenEnded();
  let told = '';
  for (let first = true; !ended.signal.aborted; first = false) {
    const outcome = await followOnce(url, ended.signal, (event) => show(event, raw));
    if (outcome.kind === 'refused' || (outcome.kind === 'lost' && first && !outcome.opened)) {
      process.stderr.write(`${outcome.said}\n`);
      return 1;
    }
    if (ended.signal.aborted) break;
    // Once for each reason, not once for each try.
    if (outcome.said !== told) process.stderr.write(`-- ${outcome.said}; trying again\n`);
    told = outcome.said;
    await pause(AGAIN_MS, ended.signal);
  }
  return 0;
}

type Outcome =
  | { readonly kind: 'refused'; readonly said: string }
  | { readonly kind: 'lost'; readonly said: string; readonly opened: boolean };

/** Follows until the connection is gone, and says how it went. */
function followOnce(url: string, signal: AbortSignal, heard: (event: LinkEvent) => void): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    const lost = (said: string): void => resolve({ kind: 'lost', said, opened });
    let opened = false;
    const stop = (): void => socket.terminate();
    signal.addEventListener('abort', stop);
    socket.on('open', () => {
      opened = true;
    });
    socket.on('message', (data) => heard(JSON.parse(String(data)) as LinkEvent));
    socket.on('unexpected-response', (_request, response) => {
      void refusal(response).then((said) => {
        // A service on its way up or down is worth another try; a wrong name is not.
        if ((response.statusCode ?? 0) >= 500) lost(said);
        else resolve({ kind: 'refused', said });
        socket.terminate();
      });
    });
    socket.on('error', (error) => lost(`the service does not answer (${error.message || 'no connection'})`));
    socket.on('close', (code, reason) => {
      signal.removeEventListener('abort', stop);
      lost(`the connection is lost (${reason.toString() || code})`);
    });
  });
}

async function refusal(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  try {
    const { errors } = JSON.parse(Buffer.concat(parts).toString()) as { errors: Fault[] };
    return errors
      .map(({ code, message, help }) => `${code}: ${message}${help ? ` (${help})` : ''}`)
      .join('\n');
  } catch {
    return `the service answered ${response.statusCode}`;
  }
}

function show(event: LinkEvent, raw: boolean): void {
  const look = currentLook();
  const lines = [linkLine(event, look)];
  if (raw && 'frame' in event) lines.push(...hexdump(event.frame, look));
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Asked for each line: a terminal may be resized. */
function currentLook(): Look {
  const { stdout, env } = process;
  const colour = stdout.isTTY && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return { width: stdout.isTTY ? stdout.columns : undefined, colour };
}

/** Aborts at Ctrl-C, and when nobody reads the output any more. */
function whenEnded(): AbortController {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  process.stdout.on('error', end);
  return ended;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const aborted = once(signal, 'abort');
  await new Promise<void>((resolve) => {
    const timer = realClock.setTimeout(resolve, ms);
    void aborted.then(() => {
      realClock.clearTimeout(timer);
      resolve();
    });
  });
}
