/** A telecommand written as a line of text: what its template names, and that it leaves nothing out. */

import { nearHelp } from '../../contract/near.ts';
import type { ArgumentConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { Encode } from '../document/layout.ts';
import type { EncodingConfiguration } from '../layout/encoding.ts';
import { lineArguments } from '../line/load.ts';
import { parseTemplate } from '../line/template.ts';
import { compileWriter } from '../line/writer.ts';
import type { TelecommandSite } from './site.ts';

/** The encoding as far as it holds. */
export function checkLineEncode(
  encode: Encode,
  line: string,
  args: readonly ArgumentConfiguration[],
  site: TelecommandSite,
  faults: FaultsAt,
): EncodingConfiguration {
  for (const key of ['service', 'subtype', 'apid', 'port', 'fields'] as const) {
    if (encode[key] !== undefined) faults.in(key).fault(`a line has no ${key}`, 'keep line, or the others');
  }
  const at = faults.in('line');
  const compiled = compileWriter(line, lineArguments(args, site.frame.enumerations));
  if (!compiled.ok) for (const { message, help } of compiled.faults) at.fault(message, help);
  const parts = parseTemplate(line);
  const names = parts.ok ? parts.value.flatMap((part) => ('name' in part ? [part.name] : [])) : undefined;
  if (names !== undefined) checkNames(names, args, site, at);
  return { header: {}, fields: [], line };
}

function checkNames(
  names: readonly string[],
  args: readonly ArgumentConfiguration[],
  { instances, files, component }: TelecommandSite,
  faults: FaultsAt,
): void {
  const known = args.map(({ name }) => name);
  for (const name of new Set(names)) {
    if (name === 'instance' && (instances.length > 0 || files)) continue;
    if (name === 'instance') faults.fault(`${component} has no instances`, 'write a constant instead');
    else if (!known.includes(name))
      faults.fault(`the telecommand has no argument "${name}"`, nearHelp(name, known, 'arguments'));
  }
  for (const name of known.filter((each) => !names.includes(each)))
    faults.fault(`the line leaves out the argument "${name}"`, `add {${name}}`);
}
