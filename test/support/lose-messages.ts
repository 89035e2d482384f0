/** Takes messages out of a stream behind everybody's back, as copies that differ lose them. */

import { connect, type JetStreamManager, jwtAuthenticator } from 'nats';
import type { StreamDefinition } from '../../contract/bus/streams.ts';
import type { TestNats } from './nats.ts';

type Named = Pick<StreamDefinition, 'name'>;

/** Their ids stay known for as long as the stream remembers them. */
export async function loseMessages(
  nats: TestNats,
  { name }: Named,
  positions: readonly number[],
): Promise<void> {
  await managing(nats, async ({ streams }) => {
    for (const seq of positions) await streams.deleteMessage(name, seq);
  });
}

/** All that a stream holds; its next position stays. */
export async function emptyStream(nats: TestNats, { name }: Named): Promise<void> {
  await managing(nats, async ({ streams }) => void (await streams.purge(name)));
}

export async function deleteStream(nats: TestNats, { name }: Named): Promise<void> {
  await managing(nats, async ({ streams }) => void (await streams.delete(name)));
}

async function managing(
  { url, credentials: { jwt, seed } }: TestNats,
  act: (manager: JetStreamManager) => Promise<void>,
): Promise<void> {
  const connection = await connect({ servers: url, authenticator: jwtAuthenticator(jwt, Buffer.from(seed)) });
  await act(await connection.jetstreamManager());
  await connection.close();
}
