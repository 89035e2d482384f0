/** What a user of the bus may do, tried against every subject of the contract. */

import { connect, jwtAuthenticator, type NatsConnection, type Subscription } from 'nats';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { TestNats } from './nats.ts';
import { until } from './until.ts';

/** Every subject there is, as `other`, a unit, a target or a run, would have it, and what lies below; some of `own`. */
export function everySubject(own: string, other: string): string[] {
  const alarm = { target: other, component: 'eps', instance: '1', alarm: 'low' };
  const made = Object.entries(subject).flatMap(([name, of]) => {
    if (typeof of === 'string') return of;
    if (name === 'alarmEvent') return (of as typeof subject.alarmEvent)(alarm);
    return (of as (...names: string[]) => string)(other, 'selftest', 'x');
  });
  const kept = Object.values(streams).flatMap(({ subjects }) => subjects);
  const server = [
    '$JS.API.>',
    '$JS.API.INFO',
    '$KV.>',
    `$KV.mcs_units.${own}`,
    '$O.>',
    '$SYS.>',
    '$SYS.REQ.USER.INFO',
  ];
  const wide = [
    '>',
    '*',
    'mcs.>',
    'mcs.ctl.>',
    'mcs.ctl.rpc.>',
    'mcs.ctl.rpc.unit.*.selftest',
    'mcs.ctl.rpc.unit.>',
  ];
  const inboxes = [
    '_INBOX.>',
    '_MCS.>',
    '_UNIT.>',
    `_UNIT.${other}.>`,
    '_INBOX.x',
    '_MCS.test.x',
    `_UNIT.${other}.x`,
  ];
  const ofItself = [subject.gatewayVerb(own, 'send'), subject.frames(own), subject.tcSubmit(own)];
  return [...new Set([...made, ...kept, ...server, ...wide, ...inboxes, ...ofItself])];
}

export const isWildcard = (text: string): boolean => /[*>]/.test(text);

/** What it may not listen to. */
export async function refusedToReceive(
  client: NatsConnection,
  subjects: readonly string[],
): Promise<string[]> {
  const refused: string[] = [];
  for (const about of subjects) {
    const outcome = { refused: false };
    const subscription: Subscription = client.subscribe(about, {
      callback: (error) => {
        if (error !== null) outcome.refused = true;
      },
    });
    await client.flush();
    if (outcome.refused) refused.push(about);
    subscription.unsubscribe();
  }
  return refused;
}

/** What reaches anybody, of everything it sends. */
export async function delivered(
  nats: TestNats,
  client: NatsConnection,
  subjects: readonly string[],
): Promise<string[]> {
  const { jwt, seed } = nats.credentials;
  const witness = await connect({
    servers: nats.url,
    authenticator: jwtAuthenticator(jwt, Buffer.from(seed)),
  });
  const arrived: string[] = [];
  for (const all of ['mcs.>', '_INBOX.>', '_MCS.>', '_UNIT.>', '$KV.>', '$JS.>'])
    witness.subscribe(all, { callback: (_error, message) => void arrived.push(message.subject) });
  await witness.flush();
  for (const about of subjects) client.publish(about, Buffer.from('{}'));
  await client.flush();
  witness.publish('mcs.witness');
  await until(() => arrived.includes('mcs.witness'));
  await witness.close();
  return arrived.filter((about) => about !== 'mcs.witness');
}
