/**
 * `mcs link list` (`link-list.ts`), and `mcs link watch`: the frames of a target as they pass, both ways, one line
 * each. A thin client of the API: it ends with Ctrl-C, with its reader (`| head`), or when the service refuses what is
 * asked; a lost connection is reported and tried again.
 */

import { parseArgs } from 'node:util';
import type { LinkEvent } from '../contract/link-event.ts';
import { followOnce, pause, whenEnded } from './followed.ts';
import { hexdump, type Look, linkLine } from './link-line.ts';
import { listLinks } from './link-list.ts';
import { SERVICE_OPTIONS, SERVICE_USAGE, type Service, serviceOf } from './service.ts';

const USAGE = `mcs link list TARGET             drivers and gateways of its links, and whether their bindings are current
mcs link watch TARGET [--link L] [--raw]
${SERVICE_USAGE}`;
/** A service that restarts is back within seconds. */
const AGAIN_MS = 1_000;

export async function link([verb, ...args]: string[]): Promise<number> {
  const options = {
    ...SERVICE_OPTIONS,
    link: { type: 'string' },
    raw: { type: 'boolean' },
  } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [target, ...more] = positionals;
  if (verb === 'list' && target !== undefined && more.length === 0)
    return listLinks(serviceOf(values), target);
  if (verb !== 'watch' || target === undefined || more.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const query = new URLSearchParams({
    ...(values.link !== undefined && { link: values.link }),
    ...(values.raw === true && { raw: 'true' }),
  });
  const path = `/v1/links/${encodeURIComponent(target)}/frames`;
  return watch(serviceOf(values), `${path}?${query}`, values.raw ?? false);
}

async function watch(service: Service, path: string, raw: boolean): Promise<number> {
  const ended = whenEnded();
  let reported = '';
  for (let first = true; !ended.signal.aborted; first = false) {
    const outcome = await followOnce<LinkEvent>(service, path, ended.signal, (event) => show(event, raw));
    if (outcome.kind === 'refused' || (outcome.kind === 'lost' && first && !outcome.opened)) {
      process.stderr.write(`${outcome.said}\n`);
      return 1;
    }
    if (ended.signal.aborted || outcome.kind === 'over') break;
    // Once for each reason, not once for each try.
    if (outcome.said !== reported) process.stderr.write(`-- ${outcome.said}; trying again\n`);
    reported = outcome.said;
    await pause(AGAIN_MS, ended.signal);
  }
  return 0;
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
