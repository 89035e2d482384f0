/** Says, before a run ends, what became of the files that it uploads. Mission Control Service, section 4.7 rule 8. */

import { retryWhileBusIsAway } from '../../../messaging/while-bus-is-away.ts';
import type { Handler, RunServices } from '../services.ts';
import { uploadsLeft } from '../uploads.ts';

export function createUploadsSeen({ bus, clock }: RunServices): Handler<'effect.uploads'> {
  return async ({ ticket }, at, signal) => {
    const seen = await retryWhileBusIsAway({ clock, signal }, () => uploadsLeft(bus, at, 'end'));
    return seen && { type: 'uploads.seen', at: clock.now(), ticket, uploads: seen.value };
  };
}
