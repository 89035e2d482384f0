/** `mcs run dry`: a procedure to its end with nobody there, on a service that lives as long. */

import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, startMcs } from '../support/mcs.ts';

let folder: string;

/** A spacecraft that is simulated elsewhere, and one of which nothing is known here. */
const BEHIND_REAL_GATEWAYS = `
  flown:
    platform: cubesat-6u@1.0.0
    environments: [rehearsal]
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x73 }, gateway: radio-1 }
  probe:
    platform: probe@1.0.0
    environments: [rehearsal]
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x42 }, gateway: far-1 }
`;
const PROBE = `
platform: probe
version: 1.0.0
components:
  lamp:
    telecommands:
      light:
        encode: { service: 8, subtype: 1 }
        verify: { reports: pus-1, within: 10 s }
`;

/** The demo with a library of its own, and gateways that must never be opened. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-dry-'));
  await cp(DEMO, folder, { recursive: true });
  const topology = join(folder, 'topology.yaml');
  const text = await readFile(topology, 'utf8');
  const radio = '\n  radio-1: { udp: { port: 9 }, framing: { kind: line } }\n  far-1: {}\n';
  const real = text.replace(/\ndrivers:\n/, `${radio}\ndrivers:\n`);
  await writeFile(topology, `${real}${BEHIND_REAL_GATEWAYS}`);
  await writeFile(join(folder, 'probe.yaml'), PROBE);
  await writeFile(
    join(folder, 'dry.yaml'),
    `
library: dry
version: 1.0.0
imports: [cubesat-6u@1.0.0, probe@1.0.0]
procedures:
  ends_well:
    roles: { sat: cubesat-6u }
    steps:
      - step: ask
        do:
          - ask: How loud?
            as: level
            type: { type: f64, unit: dB }
            timeout: 1 min
          - log: "level {$level}"
      - send: sat.obc.ping
  lights:
    roles: { it: probe }
    steps:
      - send: it.lamp.light
  ends_badly:
    roles: { sat: cubesat-6u }
    steps:
      - check: sat.obc.mode == NOMINAL and sat.obc.mode == SAFE
      - if failed:
          - log: cleaning up
`,
  );
});
afterAll(async () => {
  await endAllMcs();
  await rm(folder, { recursive: true, force: true });
});

async function dry(...args: string[]) {
  const mcs = await startMcs({ args: ['run', 'dry', folder, ...args], unready: true });
  // Closed, and not only over: what it said last may come behind its end.
  const [code] = (await once(mcs.child, 'close')) as [number | null];
  return { code, output: mcs.output(), errors: mcs.errors() };
}

it('MC-ANS-018 carries a procedure to its end and says whether it passed, with the answers it is given', async () => {
  const said = await dry('ends_well', 'sat=sat1', '--environment', 'rehearsal', '--answer', 'ask=12 dB');
  expect(said.errors).toBe('');
  expect(said.output).toContain('"level 12 dB"');
  expect(said.output).toMatch(/^\S+ +passed$/m);
  expect(said.code).toBe(0);
}, 60_000);

it('MC-ANS-018 carries one to its end on a spacecraft behind a real gateway, by the model of its platform', async () => {
  const said = await dry('ends_well', 'sat=flown', '--environment', 'rehearsal', '--answer', 'ask=12 dB');
  expect(said.errors).toBe('warning: link uhf of flown is simulated (cubesat-6u)\n');
  expect(said.output).toMatch(/^\S+ +passed$/m);
  expect(said.code).toBe(0);
}, 60_000);

it('MC-ANS-018 acknowledges what is sent to a spacecraft of which nothing is known', async () => {
  const said = await dry('lights', 'it=probe', '--environment', 'rehearsal');
  expect(said.errors).toBe(
    'warning: link uhf of probe is simulated (acknowledging): telecommands are acknowledged, and no value is known\n',
  );
  expect(said.output).toMatch(/lamp\.light.* VERIFIED|VERIFIED/);
  expect(said.output).toMatch(/^\S+ +passed$/m);
  expect(said.code).toBe(0);
}, 60_000);

it('MC-ANS-016 MC-ANS-018 decides fail by itself: what cleans up runs, and the exit code reports', async () => {
  const said = await dry('ends_badly', 'sat=sat1', '--environment', 'rehearsal');
  expect(said.output).toContain('yes: fail');
  expect(said.output).toContain('"cleaning up"');
  expect(said.code).toBe(1);
}, 60_000);

it('MC-ANS-018 takes another automatic decision as an option', async () => {
  const said = await dry('ends_badly', 'sat=sat1', '--environment', 'bench', '--decide', 'skip');
  expect(said.output).toContain('yes: skip');
  expect(said.output).not.toContain('cleaning up');
  expect(said.code).toBe(0);
}, 60_000);

it('MC-ANS-018 refuses an answer that no step asks for, before anything is started', async () => {
  const said = await dry('ends_well', 'sat=sat1', '--environment', 'rehearsal', '--answer', 'asks=12 dB');
  expect(said.errors).toBe('mcs: no step "asks" of ends_well asks for a value: did you mean "ask"?\n');
  expect(said.output).toBe('');
  expect(said.code).toBe(1);
}, 60_000);

it('MC-ANS-018 warns of a step that asks for a value and is given none', async () => {
  const said = await dry('ends_well', 'sat=sat1', '--environment', 'rehearsal');
  expect(said.errors).toBe('warning: step ask asks for a value and fails without --answer ask=VALUE\n');
  expect(said.output).toContain('the answer has no value');
  expect(said.code).toBe(1);
}, 60_000);
