/** Runs as people name them: by their identifier, or by its last characters. */

import type { RunList } from '../contract/run.ts';
import { isUlid } from '../contract/token.ts';
import { request } from './request.ts';
import type { Service } from './service.ts';

/** For the usage of commands about one run. */
export const RUN_NAME = '  RUN: an identifier, or its last characters\n';

/** Carries out what is asked of one run. */
export async function withRun(
  name: string,
  service: Service,
  carryOut: (run: string) => Promise<number>,
): Promise<number> {
  const ending = name.toUpperCase();
  if (isUlid(ending)) return carryOut(ending);
  const reply = await request<RunList>(service, 'GET', '/v1/runs?limit=200');
  if (reply === undefined) return 1;
  const matches = reply.runs.map((each) => each.run).filter((id) => id.endsWith(ending));
  if (matches.length === 1) return carryOut(matches[0]!);
  const said =
    matches.length === 0 ? 'no run has this ending' : `several have this ending: ${matches.join(', ')}`;
  process.stderr.write(`mcs: ${JSON.stringify(name)} is not a run: ${said}\n`);
  return 1;
}
