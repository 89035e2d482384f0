/**
 * `npm run soak -- --hours N [--targets N] [--output FILE]`: one process of the service with a fleet under the traffic
 * of as many demos (telemetry, telecommands, runs, alarms, reads, watchers that come and go), and the straight line
 * through its memory, descriptors, subscriptions, consumers and keys. Exits with 1 when one of them grows, or when a
 * telecommand or run did not end.
 */

import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { ROLES } from '../../supervision/role.ts';
import { optionsOf } from '../../tools/command-line.ts';
import { compiledFleet, gatewayNames, switchFault, targetNames } from '../fleet.ts';
import type { Ground } from '../ground.ts';
import type { Peer } from '../peer.ts';
import type { Loaded } from '../peers/soak-load.ts';
import { short, storeProgram } from '../run-program.ts';
import { onGround, type Start } from '../with-peers.ts';
import { lookAtBus, lookAtService } from './look.ts';
import { numbers } from './numbers.ts';
import { type Look, printed, verdictsOf } from './soak-verdicts.ts';

/** A simulated spacecraft answers one target. */
const TARGETS_OF_A_GATEWAY = 1;
/** A machine that does other things too is no dead member. */
const MEMBER_TTL_MS = 20_000;
const HOUR_MS = 3_600_000;
/** Looking collects garbage on both sides, so it is rare in a long one. */
const LOOKS = 120;
const LEAST_BETWEEN_LOOKS_MS = 700;
/** Each spacecraft in turn drains its cells and charges them again: limits are crossed both ways. */
const DRAIN_EVERY_MS = 10_000;
/** Of a hundred targets, one a second. */
const RUNS_PER_S = 0.01;
const RUNS_OPEN = 4;
const FAULT = 'cell_drain';

async function soak(ground: Ground, start: Start, targets: number, ms: number): Promise<boolean> {
  const names = targetNames(targets);
  const gateways = gatewayNames(names, TARGETS_OF_A_GATEWAY);
  const compiled = await compiledFleet(targets, {
    targetsOfAGateway: TARGETS_OF_A_GATEWAY,
    faults: [FAULT],
  });
  await publishConfiguration(ground.bus, compiled);
  const service = await start('service', ['--expose-gc']);
  const api = await service.call<string>('start', {
    address: ground.address,
    roles: ROLES,
    memberTtlMs: MEMBER_TTL_MS,
  });
  const load = await start('soak-load');
  await load.call('start', { port: Number(new URL(api).port), targets: names });
  const ir = await storeProgram(ground.bus, short(compiled.revision));
  const runs = await start('run-load');
  await runs.call('start', ground.address);

  const begun = performance.now();
  const count = Math.max(1, Math.round((ms / 1_000) * targets * RUNS_PER_S));
  const launched = runs.call('burst', {
    ir,
    config: compiled.revision,
    count,
    open: RUNS_OPEN,
    everyMs: ms / count,
  });
  launched.catch(() => undefined);
  const looks = await looksFor(ms, { begun, ground, service, gateways });
  await launched;
  const loaded = await load.call<Loaded>('stop');
  return report({ looks, loaded, runs: count, ms });
}

interface Looking {
  readonly begun: number;
  readonly ground: Ground;
  readonly service: Peer;
  readonly gateways: readonly string[];
}

async function looksFor(ms: number, { begun, ground, service, gateways }: Looking): Promise<Look[]> {
  const looks: Look[] = [];
  const between = Math.max(LEAST_BETWEEN_LOOKS_MS, ms / LOOKS);
  let drained = 0;
  while (performance.now() - begun < ms) {
    const [bus, process] = [await lookAtBus(ground), await lookAtService(service)];
    looks.push({ atMs: performance.now() - begun, bus, process });
    for (; drained * DRAIN_EVERY_MS < performance.now() - begun; drained += 1)
      await switchFault(
        ground.bus,
        gateways[Math.floor(drained / 2) % gateways.length]!,
        FAULT,
        drained % 2 === 0,
      );
    await pause(between);
  }
  return looks;
}

interface Reported {
  readonly looks: readonly Look[];
  readonly loaded: Loaded;
  readonly runs: number;
  readonly ms: number;
}

async function report({ looks, loaded, runs, ms }: Reported): Promise<boolean> {
  const verdicts = verdictsOf(looks);
  console.log(printed(verdicts, { looks, telecommands: loaded.telecommands }));
  console.log(JSON.stringify({ minutes: Math.round(ms / 6_000) / 10, runs, ...loaded }));
  if (values.output !== undefined)
    await writeFile(values.output, `${JSON.stringify({ looks, loaded, verdicts })}\n`);
  const whole = loaded.open === 0 && loaded.refused === 0;
  if (!whole) console.error('telecommands without an end, or requests that were refused: see above');
  return whole && verdicts.every(({ flat }) => flat);
}

const values = optionsOf(import.meta.url, {
  hours: { type: 'string', default: '1' },
  targets: { type: 'string', default: '100' },
  output: { type: 'string' },
});
const { hours, targets } = numbers(values as { hours: string; targets: string }, ['hours', 'targets']);
const passed = await onGround((ground, start) => soak(ground, start, targets, hours * HOUR_MS), {
  monitored: true,
});
process.exitCode = passed ? 0 : 1;
