/** What CFDP costs beside a bare copy over the same sockets: processor time of both ends, in one process, per MB. */

import type { Peer } from '../peer.ts';
import { compare, type Result, type Row, type Settings, type Turn } from '../row.ts';
import { withPeers } from '../with-peers.ts';

const MIB = 2 ** 20;

export const cfdpRow: Row = { name: 'transfer.cfdp', run: async (settings) => [await copied(settings)] };

async function copied(settings: Settings): Promise<Result> {
  const bytes = (settings.quick ? 1 : 16) * MIB;
  return withPeers(async (start) => {
    const [ours, other] = [await start('datagrams'), await start('datagrams')];
    for (const peer of [ours, other]) await peer.call('start', { bytes });
    const turn = (peer: Peer, how: 'cfdp' | 'bare') => async (): Promise<Turn> => {
      const before = await peer.cpuUs();
      const ms = await peer.call<number>(how, {});
      const operations = bytes / 1e6;
      return { rate: (operations / ms) * 1_000, cpuUs: ((await peer.cpuUs()) - before) / operations };
    };
    const contenders = [
      { name: 'CFDP class 2', turn: turn(ours, 'cfdp') },
      { name: 'bare copy', turn: turn(other, 'bare') },
    ];
    const note = `${bytes / MIB} MiB in datagrams of 1,024 bytes from socket to socket, checked; processor time per MB, of both ends`;
    return compare({ row: 'transfer.cfdp', unit: 'MB/s', note, contenders }, settings);
  });
}
