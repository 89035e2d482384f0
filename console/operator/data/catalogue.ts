/** What the catalogue of a target says of its measures and telecommands, by name. Pure. */

import type {
  CatalogueView,
  ComponentView,
  MeasureView,
  TelecommandView,
} from '../../../contract/catalogue.ts';
import { measureName } from './live-value.ts';

export interface CatalogueMeasure extends Omit<MeasureView, 'name'> {
  /** `component[instance].measure` */
  readonly name: string;
}

export interface CatalogueTelecommand {
  /** `component.name` */
  readonly name: string;
  readonly component: ComponentView;
  readonly telecommand: TelecommandView;
  /** It is about a file on board, whose identifier is its instance. */
  readonly isOfFile: boolean;
}

export interface Catalogue {
  readonly platform: string;
  readonly measures: readonly CatalogueMeasure[];
  readonly byName: ReadonlyMap<string, CatalogueMeasure>;
  readonly telecommands: readonly CatalogueTelecommand[];
}

export function catalogueOf({ platform, components, files }: CatalogueView): Catalogue {
  // The measures of files have the files as instances; they are not listed by the catalogue.
  const measures = components
    .filter(({ name }) => name !== files?.component)
    .flatMap((component) =>
      instancesOf(component).flatMap((instance) =>
        component.measures.map((measure) => ({
          ...measure,
          name: measureName(component.name, instance, measure.name),
        })),
      ),
    );
  const telecommands = components.flatMap((component) =>
    component.telecommands.map((telecommand) => ({
      name: `${component.name}.${telecommand.name}`,
      component,
      telecommand,
      isOfFile: component.name === files?.component && telecommand.name !== files.transfer.list,
    })),
  );
  return { platform, measures, byName: new Map(measures.map((each) => [each.name, each])), telecommands };
}

function instancesOf({ instances }: ComponentView): readonly (string | undefined)[] {
  return instances.length === 0 ? [undefined] : instances;
}
