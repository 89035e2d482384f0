/** The documents of `docs/connectors.md` are what the service reads and writes, and its example works. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { subject } from '../../contract/bus/subjects.ts';
import {
  CONNECTOR_DATA,
  CONNECTOR_REGISTRATION_CODES,
  readConnectorHeartbeat,
  readConnectorHeartbeatReply,
  readConnectorRegistration,
  readConnectorRegistrationReply,
} from '../../contract/connector-wire.ts';
import {
  CONNECTOR_FILTERS,
  CONNECTOR_MESSAGE_BYTES,
  CONNECTOR_PERIOD_MS_LEAST,
  CONNECTOR_PERIOD_MS_MOST,
  CONNECTOR_READS,
  CONNECTOR_RISK_SHARE,
  CONNECTOR_TARGETS,
  CONNECTORS_MOST,
} from '../../contract/limits/connector.ts';

const guide = await readFile('docs/connectors.md', 'utf8');

function block(mark: string, language: string): string {
  const text = guide.split(`<!-- ${mark} -->\n\`\`\`${language}\n`)[1]?.split('\n```')[0];
  if (text === undefined) throw new Error(`the guide has no ${mark}`);
  return text;
}

const json = (mark: string) => ({
  bytes: Buffer.from(block(mark, 'json')),
  value: JSON.parse(block(mark, 'json')) as unknown,
});

describe('the guide for connectors', () => {
  it('has a registration that is accepted as it stands, and the answers to one', () => {
    const { bytes, value } = json('registration');
    expect(readConnectorRegistration(bytes, 'warehouse')).toEqual({ ok: true, value });
    expect(readConnectorRegistrationReply(json('registered').bytes)).toEqual(json('registered').value);
    expect(json('refused').value).toMatchObject(readConnectorRegistrationReply(json('refused').bytes)!);
    const wrong = {
      ...(value as object),
      connector: { data: [{ kind: 'news', consumer: 'a', by: 'consumer' }] },
    };
    const refused = readConnectorRegistration(Buffer.from(JSON.stringify(wrong)), 'warehouse');
    expect(refused).toEqual(json('refused').value);
  });

  it('has a heartbeat and its answer', () => {
    expect(readConnectorHeartbeat(json('heartbeat').bytes)).toEqual(json('heartbeat').value);
    expect(readConnectorHeartbeatReply(json('heartbeat answer').bytes)).toEqual({ register: false });
  });

  it('MC-CONN-004 names the kinds with their streams, the subjects, limits and codes there are', () => {
    for (const [kind, { name, subjects }] of Object.entries(CONNECTOR_DATA))
      expect(guide).toContain(`| \`${kind}\` | \`${name}\` | \`${subjects.join()}\` |`);
    for (const of of [subject.connectorRegister, subject.connectorHeartbeat])
      expect(guide).toContain(of('NAME').replace('NAME', '<name>'));
    for (const code of CONNECTOR_REGISTRATION_CODES) expect(guide).toContain(`| \`${code}\` |`);
    const flat = guide.replaceAll('\n', ' ');
    expect(flat).toContain(`from ${CONNECTOR_PERIOD_MS_LEAST} to ${CONNECTOR_PERIOD_MS_MOST}`);
    expect(flat).toContain(`at most ${CONNECTOR_TARGETS} names`);
    expect(flat).toContain(`at most ${CONNECTOR_READS} entries`);
    expect(flat).toContain(`there are ${CONNECTORS_MOST} connectors`);
    expect(flat).toContain(`up to ${CONNECTOR_FILTERS} targets`);
    expect([CONNECTOR_RISK_SHARE, CONNECTOR_MESSAGE_BYTES]).toEqual([0.5, 256 * 1024]);
  });

  it('has an example that counts each message once, whatever is delivered again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcs-guide-'));
    try {
      const path = join(folder, 'example.ts');
      await writeFile(path, block('example', 'ts'));
      const { load, counted, store } = await import(path);
      const file = join(folder, 'counts.json');
      let stored = await load(file);
      for (const [seq, severity] of [
        [1, 'warning'],
        [2, 'critical'],
        [3, 'warning'],
      ] as const)
        stored = counted(stored, seq, severity);
      await store(file, stored);
      // It died behind that, and is given the last two again with one more.
      let again = await load(file);
      for (const seq of [2, 3, 4]) again = counted(again, seq, 'warning');
      expect(again).toEqual({ seq: 4, counts: { warning: 3, critical: 1 } });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
