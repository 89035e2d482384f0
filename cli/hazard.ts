/**
 * Hazardous telecommands: whoever sends one by hand means it. In a terminal its name is typed again; elsewhere
 * `--hazardous` says so beforehand.
 *
 * H1. Nothing is sent while it is not known whether the telecommand is hazardous.
 */

import { createInterface } from 'node:readline/promises';
import type { CatalogueView } from '../contract/catalogue.ts';
import { WrongUsage } from './command-line.ts';
import { printable } from './printable.ts';
import { ask, faultLine } from './request.ts';
import type { Service } from './service.ts';

interface Meant {
  readonly target: string;
  /** As it was written: `component.telecommand`, `component[instance].telecommand` or the name alone. */
  readonly telecommand: string;
}

const NAMED = /^(?:([^.[]+)(?:\[[^\]]*\])?\.)?([^.]+)$/;

/** Whether it may be sent; what stands against that is printed. Throws `WrongUsage` where nobody can be asked. */
export async function isMeant(service: Service, meant: Meant): Promise<boolean> {
  const read = await ask<CatalogueView>(
    service,
    'GET',
    `/v1/targets/${encodeURIComponent(meant.target)}/catalogue`,
  );
  if (!read.ok) {
    // What is wrong with the target or the caller is answered to the telecommand too, which is refused as well.
    if (read.status < 500) return true;
    for (const fault of read.faults) process.stderr.write(`${faultLine(fault)}\n`);
    return false;
  }
  return !isHazardous(read.reply, meant.telecommand) || confirmed(meant);
}

function isHazardous({ components }: CatalogueView, written: string): boolean {
  const [, component, name] = NAMED.exec(written) ?? [];
  return components
    .filter((each) => component === undefined || each.name === component)
    .some(({ telecommands }) => telecommands.some((each) => each.name === name && each.hazardous));
}

async function confirmed({ target, telecommand }: Meant): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new WrongUsage(`${telecommand} is hazardous and nothing is sent: add --hazardous if it is meant`);
  const asking = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const said = `${printable(telecommand)} is hazardous. To send it to ${printable(target)}, type its name: `;
  // Ctrl-C and the end of the input are no name.
  const typed = await new Promise<string>((resolve) => {
    asking.once('close', () => resolve(''));
    void asking.question(said).then(resolve, () => resolve(''));
  });
  asking.close();
  if (typed.trim() === telecommand) return true;
  process.stderr.write('mcs: that is not its name; nothing is sent\n');
  return false;
}
