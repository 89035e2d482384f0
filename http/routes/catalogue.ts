/** The catalogue of a target. Mission Control Service, sections 2.11 and 4.9. */

import { CatalogueView } from '../../contract/catalogue.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import { catalogueView } from '../../mission/catalogue.ts';
import type { Platform } from '../../mission/platform.ts';
import { busUnavailable } from '../errors.ts';
import { targetOf } from '../mission-of.ts';
import { targetInPath } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { noCatalogue } from './values.ts';

/** A platform never changes (mission.M1), so its view is written once. */
const written = new WeakMap<Platform, string>();

export const readCatalogue = defineRoute({
  method: 'GET',
  path: '/v1/targets/:target/catalogue',
  operationId: 'readCatalogue',
  summary: 'Measures and telecommands of a target',
  description: 'As in the platform document, with units, ranges and defaults.',
  tag: 'Catalogue',
  params: { target: targetInPath },
  replies: { 200: CatalogueView },
  errors: ['api::no-configuration', 'api::unknown-target', 'api::no-catalogue', 'api::unavailable'],
  handle({ params }, ports) {
    const target = targetOf(params.target, ports);
    if (!target.ok) return target;
    if (target.value.platform === undefined) return noCatalogue(target.value);
    // Another instance may serve a newer configuration by now.
    if (!busAnswers(ports.bus)) return busUnavailable();
    return { ok: true, value: { status: 200, bytes: textOf(target.value.platform) } };
  },
});

function textOf(platform: Platform): string {
  let text = written.get(platform);
  if (text === undefined) {
    text = JSON.stringify(catalogueView(platform));
    written.set(platform, text);
  }
  return text;
}

export const catalogueRoutes = [readCatalogue];
