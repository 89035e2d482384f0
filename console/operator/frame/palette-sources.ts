/** All the entries of the palette, from what the workspace knows at the moment it is opened. */

import { dateTime } from '../../moment.ts';
import { hrefOf, onPage, PAGES, type PlaceName } from '../address.ts';
import type { Workspace } from '../workspace.ts';
import type { PaletteEntry } from './palette-entries.ts';

export function paletteEntries(space: Workspace): PaletteEntry[] {
  const { target } = space;
  const to = (page: PlaceName, selected = '', more: Readonly<Record<string, string>> = {}): string =>
    hrefOf(onPage(space.address, page, selected, { target, ...more }));
  const catalogue = target === '' ? undefined : space.catalogues.of(target);
  const mission = space.mission.answer;
  return [
    ...[...PAGES, 'system' as const].map(
      (page): PaletteEntry => ({ kind: 'page', name: page, detail: '', to: to(page) }),
    ),
    ...(mission?.targets ?? []).map(
      (each): PaletteEntry => ({
        kind: 'target',
        name: each.target,
        detail: each.platform,
        to: hrefOf({ ...space.address, selected: '', query: { target: each.target } }),
      }),
    ),
    ...(catalogue?.telecommands ?? []).map(
      ({ name, telecommand }): PaletteEntry => ({
        kind: 'telecommand',
        name,
        detail: telecommand.description ?? '',
        to: to('telecommands', name),
      }),
    ),
    ...(catalogue?.measures ?? []).map(
      ({ name, description = '' }): PaletteEntry => ({
        kind: 'measure',
        name,
        detail: description,
        to: to('values', '', { find: name, plot: name }),
      }),
    ),
    ...(mission?.procedures ?? []).map(
      ({ procedure, library, description = '' }): PaletteEntry => ({
        kind: 'procedure',
        name: procedure,
        detail: `${library} ${description}`,
        to: to('runs', '', { start: `${library}/${procedure}` }),
      }),
    ),
    ...(space.runs.answer?.runs ?? []).map(
      ({ run, procedure, environment }): PaletteEntry => ({
        kind: 'run',
        name: run,
        detail: `${procedure} in ${environment}`,
        to: to('runs', run),
      }),
    ),
    ...(space.passes?.ahead(space.clock.now()) ?? []).map(
      ({ pass }): PaletteEntry => ({
        kind: 'pass',
        name: pass.id,
        detail: `${pass.station} AOS ${dateTime(Date.parse(pass.aos))}`,
        to: to('passes', pass.id),
      }),
    ),
  ];
}
