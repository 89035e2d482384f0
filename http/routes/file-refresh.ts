/**
 * Asking a spacecraft for its on-board directory. Mission Control Service, section 4.7 rule 1: the listing telecommand
 * of the catalogue is submitted as a direct telecommand; what comes down is read by the driver and becomes values.
 *
 * R1. It is submitted as `POST /v1/tc` submits: the same resolution, the same holds, the same events to follow.
 */

import { TcReply } from '../../contract/telecommand.ts';
import { refuse } from '../errors.ts';
import { targetOf } from '../mission-of.ts';
import { environmentInQuery, targetInPath } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { submitDirect } from './telecommands.ts';
import { noCatalogue } from './values.ts';

export const refreshFiles = defineRoute({
  method: 'POST',
  path: '/v1/targets/:target/files/refresh',
  operationId: 'refreshFiles',
  summary: 'Ask the spacecraft for its on-board directory',
  description:
    'Submits the listing telecommand of the catalogue (`files.transfer.list`) as a direct telecommand; its progress is in ' +
    '`GET /v1/tc/{target}/{id}/events`, and what is listed in `GET /v1/targets/{target}/files` when it has come down. ' +
    '`environment` is needed where the default link has parameters by environment and the target is engaged in several.',
  tag: 'Files',
  params: { target: targetInPath },
  query: { environment: environmentInQuery },
  replies: { 202: TcReply },
  errors: [
    'api::no-configuration',
    'api::unknown-target',
    'api::no-catalogue',
    'files::no-directory',
    'files::no-listing',
    'tc::unknown-environment',
    'tc::environment-required',
    'tc::target-held',
    'api::unavailable',
  ],
  async handle({ params, query: { environment }, caller }, ports) {
    const target = targetOf(params.target, ports);
    if (!target.ok) return target;
    const { name, platform } = target.value;
    if (platform === undefined) return noCatalogue(target.value);
    const { files, id } = platform;
    if (files === undefined)
      return refuse('files::no-directory', `platform ${id} of ${name} has no on-board directory`, {
        help: 'Declare one under files in the platform document.',
      });
    const { list } = files.transfer;
    if (list === undefined)
      return refuse('files::no-listing', `platform ${id} of ${name} names no telecommand that lists files`, {
        help: 'Name one under files.transfer.list in the platform document.',
      });
    const request = { target: name, telecommand: `${files.component}.${list}` };
    return submitDirect({ ...request, ...(environment !== undefined && { environment }) }, caller, ports);
  },
});

export const fileRefreshRoutes = [refreshFiles];
