/**
 * Limits: messages of values taken and kept by one process with every sample checked against soft and hard limits,
 * against the same loop without. `alarms.limits` crosses none, as a healthy spacecraft; in `alarms.edges` one sample in
 * twenty crosses.
 */

import { type Peer, startPeer } from '../peer.ts';
import { SAMPLES_PER_PACKET } from '../recording.ts';
import { type Contender, compare, type Result, type Row, type Settings } from '../row.ts';

/** What a gateway puts into one message at most (`FRAMES_PER_MESSAGE`). */
const PACKETS = 256;
const AIM = 0.8;
const EDGES = 0.05;

interface Taken {
  readonly samples: number;
  readonly ms: number;
  readonly cpuUs: number;
  readonly edges: number;
}

export const limitRow: Row = {
  name: 'alarms.limits',
  async run(settings) {
    const peer = await startPeer('alarm-loop');
    try {
      await peer.call('prepare', { packets: PACKETS });
      return [await measure(peer, settings, false), await measure(peer, settings, true)];
    } finally {
      await peer.end();
    }
  },
};

function measure(peer: Peer, settings: Settings, crossing: boolean): Promise<Result> {
  const contender = (name: string, checked: boolean): Contender => ({
    name,
    async turn() {
      const wanted = { ms: settings.roundMs, checked, crossing };
      const { samples, ms, cpuUs, edges } = await peer.call<Taken>('turn', wanted);
      const expected = checked && crossing ? EDGES : 0;
      if (Math.abs(edges / samples - expected) > EDGES / 2) throw new Error(`${edges} edges of ${samples}`);
      return { rate: (samples / ms) * 1_000, cpuUs: cpuUs / samples };
    },
  });
  const note = `${PACKETS} packets a message, ${SAMPLES_PER_PACKET} measures with soft and hard limits`;
  return compare(
    {
      row: crossing ? 'alarms.edges' : 'alarms.limits',
      unit: 'samples/s',
      note: crossing ? `${note}, 5 % of the samples cross one` : note,
      contenders: [contender('kept and checked', true), contender('kept only', false)],
      ...(!crossing && { aim: { share: AIM, of: 'kept only', by: 'processor time' } as const }),
    },
    settings,
  );
}
