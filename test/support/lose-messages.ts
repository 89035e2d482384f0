/** Takes messages out of a stream behind everybody's back, as copies that differ lose them. */

import { connect, jwtAuthenticator } from 'nats';
import type { StreamDefinition } from '../../contract/bus/streams.ts';
import type { TestNats } from './nats.ts';

/** Their ids stay known for as long as the stream remembers them. */
export async function loseMessages(
  { url, credentials: { jwt, seed } }: TestNats,
  { name }: Pick<StreamDefinition, 'name'>,
  positions: readonly number[],
): Promise<void> {
  const connection = await connect({ servers: url, authenticator: jwtAuthenticator(jwt, Buffer.from(seed)) });
  const manager = await connection.jetstreamManager();
  for (const seq of positions) await manager.streams.deleteMessage(name, seq);
  await connection.close();
}
