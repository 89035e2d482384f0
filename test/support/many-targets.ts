/** A mission of any size: as many spacecraft as asked for, all alike, in groups behind simulated gateways. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DEMO = fileURLToPath(new URL('../../missions/demo', import.meta.url));
/** What one simulated gateway carries here: enough to have several, few enough to be real. */
const TARGETS_OF_A_GATEWAY = 100;

/** Writes the folder of a mission with so many targets, `t1` on. */
export async function writeManyTargets(folder: string, targets: number): Promise<void> {
  const platform = await readFile(join(DEMO, 'cubesat-6u.yaml'), 'utf8');
  // The procedures of the demo are written for its own targets.
  await writeFile(join(folder, 'cubesat-6u.yaml'), platform.replace(/, on_raise: run "\w+"/g, ''));
  const gateways = Math.ceil(targets / TARGETS_OF_A_GATEWAY);
  const lines = [
    'topology: many',
    'environments:',
    '  bench: { identity: declared, human_orchestration: false, drafts: allowed }',
    'gateways:',
    ...numbers(gateways).map((n) => `  g${n}: { simulated: true, model: cubesat-6u, tags: [uhf] }`),
    'drivers:',
    '  pus: { protocol: pus-c }',
    'targets:',
    ...numbers(targets).map((n) => {
      const gateway = `g${Math.ceil(n / TARGETS_OF_A_GATEWAY)}`;
      const transport = `{ kind: space-packet, apid: ${n % TARGETS_OF_A_GATEWAY} }`;
      const link = `{ default: true, driver: pus, transport: ${transport}, rate: 9.6 kbit/s, gateway: ${gateway} }`;
      return `  t${n}: { platform: cubesat-6u@1.0.0, environments: [bench], links: { uhf: ${link} } }`;
    }),
  ];
  await writeFile(join(folder, 'topology.yaml'), `${lines.join('\n')}\n`);
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1);
}
