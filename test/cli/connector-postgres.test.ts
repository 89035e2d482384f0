/** How `mcs connector postgres` proves itself to the bus: as every other command does (`cli/bus-access.ts`). */

import { expect, it } from 'vitest';
import { postgres } from '../../cli/connector-postgres.ts';

it('a user of the environment without its password is half of what the bus asks for', async () => {
  const before = process.env['MCS_NATS_USER'];
  process.env['MCS_NATS_USER'] = 'mcs';
  try {
    const given = ['--nats', 'nats://127.0.0.1:1', '--database', 'postgres://127.0.0.1:1/mcs'];
    await expect(postgres(given)).rejects.toThrow('MCS_NATS_USER and MCS_NATS_PASSWORD go together');
  } finally {
    if (before === undefined) delete process.env['MCS_NATS_USER'];
    else process.env['MCS_NATS_USER'] = before;
  }
});
