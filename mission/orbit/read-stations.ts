/**
 * A file of stations: `stations` as in a topology document, alone or within one. What else the topology declares is not
 * looked at, so that a prediction needs no mission that compiles.
 */

import Type from 'typebox';
import { bounded } from '../../contract/bounded.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import { checkShape } from '../../contract/shape.ts';
import { checkStations } from '../check/topology.ts';
import { type DocumentFault, FaultList } from '../document/fault.ts';
import { closed } from '../document/name.ts';
import { type ReadDocument, readDocument, type SourceFile } from '../document/read.ts';
import { StationsDocument } from '../document/topology.ts';
import { type GroundStation, stationOf } from './station.ts';

const FILE = bounded(Type.Object({ stations: StationsDocument }, { ...closed, title: 'Stations' }));
const WITHIN = bounded(Type.Object({ stations: StationsDocument }, { title: 'Topology' }));

/** The stations of the file, in their order; refuses with every fault, each with its place in the file. */
export function readStations(source: SourceFile): Result<readonly GroundStation[], DocumentFault> {
  const list = new FaultList();
  const read = readDocument(source, list);
  const shape = read?.kind === 'topology' ? WITHIN : FILE;
  const stations = read !== undefined && checkShape(shape, read.value, read.faults) ? stationsOf(read) : [];
  return list.found > 0 ? refusedAll(list.faults) : accepted(stations);
}

function stationsOf({ value, faults }: ReadDocument): GroundStation[] {
  const { stations } = value as { readonly stations: StationsDocument };
  const at = faults.in('stations');
  const before = faults.found;
  const declared = checkStations(stations, at);
  if (faults.found > before) return [];
  return declared.flatMap((each) => {
    const station = stationOf(each);
    if (station.ok) return [station.value];
    for (const { message, help } of station.faults) at.in(each.name).fault(message, help);
    return [];
  });
}
