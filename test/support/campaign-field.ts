/**
 * A spacecraft of a campaign that is a socket: it answers nothing and counts what it receives. Frames of `pus-c` carry
 * a sequence count, so that one that comes twice was sent twice.
 */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './radio.ts';

export const FIELD = 'field';

export interface Field {
  /** How often each frame has come, by its bytes in hexadecimal. */
  readonly frames: ReadonlyMap<string, number>;
  stop(): void;
}

/** Adds target `field` to the demo mission in the folder, behind a radio over UDP whose other side is here. */
export async function addField(mission: string): Promise<Field> {
  const frames = new Map<string, number>();
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (data) => {
    const frame = data.toString('hex');
    frames.set(frame, (frames.get(frame) ?? 0) + 1);
  });
  const file = join(mission, 'topology.yaml');
  const gateway = `  field-1: { udp: { port: ${await freePort('udp')}, peer: { host: 127.0.0.1, port: ${socket.address().port} } }, tags: [field] }\n`;
  const target = `  ${FIELD}:
    platform: cubesat-6u@1.0.0
    environments: [bench]
    links:
      radio:
        default: true
        driver: pus
        transport: { kind: space-packet, apid: 0x77 }
        gateway: field-1
`;
  const topology = await readFile(file, 'utf8');
  await writeFile(file, `${topology.replace(/^gateways:\n/m, `gateways:\n${gateway}`).trimEnd()}\n${target}`);
  return { frames, stop: () => void socket.close() };
}

/** What does not fit together: frames that came twice, and how many came for how many that are said to have left. */
export function fieldFaults(
  { frames }: Field,
  { sent, unsure }: { readonly sent: number; readonly unsure: number },
): string[] {
  const twice = [...frames].filter(([, times]) => times > 1);
  return [
    ...twice.map(([frame, times]) => `${frame} came ${times} times`),
    ...(frames.size < sent ? [`${sent} telecommands have left, ${frames.size} frames came`] : []),
    ...(frames.size > sent + unsure
      ? [`${frames.size} frames came of ${sent} telecommands that left and ${unsure} of which nobody knows`]
      : []),
  ];
}
