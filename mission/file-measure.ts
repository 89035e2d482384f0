/**
 * The measures of a file on board: instances that appear while the service runs, so no platform can number them.
 * Mission Control Service, section 2.8 (the directory as measures per file instance).
 *
 * F1. They mean the same in every catalogue: a file goes on through a change of the catalogue by its identifier.
 */

import { isFileId } from '../contract/file-chunk.ts';
import { isFileMeasure } from '../contract/file-sample.ts';
import { measureKey } from './measure-table.ts';
import type { Measure, Platform } from './platform.ts';

type WithFiles = Pick<Platform, 'components' | 'files'>;

/** The measure of a file; undefined where the platform has no directory or the directory has no such measure. */
export function fileMeasure(
  { components, files }: WithFiles,
  component: string,
  file: string,
  name: string,
  ordinal: number,
): Measure | undefined {
  if (files?.component !== component || !isFileId(file) || !isFileMeasure(name)) return undefined;
  const definition = components.get(component)?.measures.find((each) => each.name === name);
  if (definition === undefined) return undefined;
  return {
    ordinal,
    key: measureKey(component, file, name),
    component,
    instance: file,
    definition,
    file: name,
  };
}

/** The measure of a component, of one of its instances or of a file; undefined where there is none. */
export function measureAt(
  platform: Platform,
  component: string,
  instance: string | undefined,
  name: string,
): Measure | undefined {
  const ordinal = platform.ordinal(measureKey(component, instance, name));
  if (ordinal !== undefined) return platform.measures[ordinal];
  return instance === undefined ? undefined : fileMeasure(platform, component, instance, name, -1);
}
