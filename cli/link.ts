/**
 * `mcs link list` (`link-list.ts`), and `mcs link watch`: the frames of a target as they pass, both ways, one line
 * each. A thin client of the API: it ends with Ctrl-C, with its reader (`| head`), or when the service refuses what is
 * asked; a lost connection is reported and tried again.
 */

import type { LinkEvent } from '../contract/link-event.ts';
import { defineCommand, defineVerbs } from './command.ts';
import { followOnce, pause, whenEnded } from './followed.ts';
import { hexdump, type Look, linkLine } from './link-line.ts';
import { listLinks } from './link-list.ts';
import { printJsonLine } from './print-json.ts';
import { type Service, serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';

const LIST_USAGE = `mcs link list TARGET [--json]
  drivers and gateways of its links, and whether their bindings are current
`;

const WATCH_USAGE = `mcs link watch TARGET [--link L] [--raw] [--json]
  frames as they pass, decoded; --raw: with their bytes; --json: one JSON in a line
`;
/** A service that restarts is back within seconds. */
const AGAIN_MS = 1_000;

const list = defineCommand({
  usage: LIST_USAGE,
  words: ['TARGET'],
  options: JSON_OPTIONS,
  run: ({ words: [target], values }) => listLinks(serviceOf(values), target, values.json),
});

const watch = defineCommand({
  usage: WATCH_USAGE,
  words: ['TARGET'],
  options: { ...JSON_OPTIONS, link: { type: 'string' }, raw: { type: 'boolean' } },
  run({ words: [target], values }) {
    const { link: only, raw = false, json = false } = values;
    const query = new URLSearchParams({
      ...(only !== undefined && { link: only }),
      ...(raw && { raw: 'true' }),
    });
    const path = `/v1/links/${encodeURIComponent(target)}/frames?${query}`;
    return watchFrames(serviceOf(values), path, json ? printJsonLine : (event) => show(event, raw));
  },
});

export const link = defineVerbs('link', { list, watch });

async function watchFrames(
  service: Service,
  path: string,
  received: (event: LinkEvent) => void,
): Promise<number> {
  const ended = whenEnded();
  let reported = '';
  for (let first = true; !ended.signal.aborted; first = false) {
    const outcome = await followOnce<LinkEvent>(service, path, ended.signal, received);
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
