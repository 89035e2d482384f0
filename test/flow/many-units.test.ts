/**
 * Many units at one service: what their heartbeats, their registrations and the reading of the fleet cost. A short form
 * runs in CI; `npm run many-units` measures 500, and prints what it finds.
 */

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUser } from 'nkeys.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { subject } from '../../contract/bus/subjects.ts';
import type { UnitView } from '../../contract/unit.ts';
import { AsUnit } from '../bus/as-unit.ts';
import { registrationOf } from '../messaging/unit-world.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const UNITS = Number(process.env['MANY_UNITS'] ?? 40);
const SECONDS = Number(process.env['MANY_UNITS_SECONDS'] ?? 3);
/** How often the fleet is read to see what one reading costs: ticks are coarse. */
const READS = process.env['MANY_UNITS'] === undefined ? 2 : 10;
const serials = Array.from({ length: UNITS }, (_, index) => `bench-${String(index).padStart(3, '0')}`);
const [DEAD] = serials;
const PATIENTLY = { timeoutMs: 60_000 };
const BEAT = Buffer.from(JSON.stringify({ health: { state: 'ok' } }));

let folder: string;
let nats: TestNats;
let units: AsUnit;
let service: Mcs;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-units-'));
  nats = await startNats();
  const signer = join(folder, 'signer.json');
  await writeFile(signer, JSON.stringify({ ...nats.followerSigner, units: nats.unitSigner }), {
    mode: 0o600,
  });
  service = await startMcs({
    args: [
      'serve',
      '--nats',
      nats.url,
      '--credentials',
      nats.credentialsFile,
      '--signer',
      signer,
      '--roles',
      'api',
    ],
  });
  units = await AsUnit.connect(nats);
}, 90_000);
afterAll(async () => {
  await endAllMcs();
  await units.close();
  await nats.stop();
  await rm(folder, { recursive: true, force: true });
});

async function fleet(): Promise<{ units: UnitView[]; bytes: number }> {
  const text = await (await fetch(`${service.api}/v1/units`)).text();
  return {
    units: (JSON.parse(text) as { units: UnitView[] }).units,
    bytes: text.length,
  };
}

/** As units send it: with an answer, that nobody here waits for. */
function beat(): void {
  for (const serial of serials) {
    if (serial === DEAD) continue;
    units.ask(serial, subject.unitHeartbeat(serial), BEAT).catch(() => undefined);
  }
}

const said = (line: string): void => {
  if (process.env['MANY_UNITS'] !== undefined) process.stdout.write(`${line}\n`);
};

it('MC-UNIT-005 MC-UNIT-021 every unit of a large fleet registers and lives, and the one that fell silent does not', async () => {
  const key = createUser().getPublicKey();
  const before = processorTimeMs(service.child.pid!);
  await Promise.all(
    serials.map(async (serial, index) => {
      const unit = { hardware_revision: 'C2', gateways: [`uhf-${index}`] };
      const document = Buffer.from(JSON.stringify(registrationOf(serial, { public_key: key, unit })));
      const reply = await units.ask(serial, subject.unitRegister(serial), document, 60_000);
      expect(JSON.parse(Buffer.from(reply).toString())).toMatchObject({
        ok: true,
        value: { jwt: expect.any(String) },
      });
    }),
  );
  said(
    `${UNITS} registrations at once: ${processorTimeMs(service.child.pid!) - before} ms of processor time`,
  );
  const idle = await spentWhile(SECONDS, () => undefined);
  const beating = await spentWhile(SECONDS, () => {
    beat();
  });
  said(
    `processor of the service: idle ${idle.toFixed(1)} %, with ${UNITS} heartbeats a second ${beating.toFixed(1)} %`,
  );
  const { units: listed, bytes } = await fleet();
  const reading = processorTimeMs(service.child.pid!);
  for (let n = 0; n < READS; n += 1) await fleet();
  const each = (processorTimeMs(service.child.pid!) - reading) / READS;
  said(`GET /v1/units: ${bytes} bytes, ${each.toFixed(0)} ms of processor time; ${residentMb()} MB resident`);
  expect(listed.map(({ serial }) => serial)).toEqual(serials);
  const dead = await until(async () => {
    beat();
    const silent = (await fleet()).units.filter(({ alive }) => !alive);
    // Reading above may have taken longer than a unit may be silent: those come back.
    return silent.length === 1 && silent;
  }, PATIENTLY);
  expect(dead.map(({ serial }) => serial)).toEqual([DEAD]);
}, 180_000);

/** Processor time of another process so far, ms: fields 14 and 15, in ticks of 10 ms. */
function processorTimeMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

function residentMb(): number {
  const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** Percent of one processor that the service spends, with `work` each second. */
async function spentWhile(seconds: number, work: () => void): Promise<number> {
  const pid = service.child.pid!;
  const [began, before] = [performance.now(), processorTimeMs(pid)];
  for (let second = 1; second <= seconds; second += 1) {
    work();
    await until(() => performance.now() - began >= second * 1_000);
  }
  return (100 * (processorTimeMs(pid) - before)) / (performance.now() - began);
}
