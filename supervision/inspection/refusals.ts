/** What the inspector refuses, in the words a person reads. */

import type { InspectFault } from '../../contract/inspection.ts';

export function unknownEntity(kind: string, id: string): InspectFault {
  return { code: 'inspect::unknown-entity', message: `no ${kind} ${id} is live in this process` };
}

export function unknownChart(kind: string): InspectFault {
  return { code: 'inspect::unknown-chart', message: `this process runs no entities of kind ${kind}` };
}

export function noHistory(kind: string, id: string): InspectFault {
  return { code: 'inspect::no-history', message: `there is no log of ${kind} ${id}` };
}

export function notQuarantined(supervisor: string, child: string): InspectFault {
  return {
    code: 'inspect::not-quarantined',
    message: `${child} is not quarantined under ${supervisor} in this process`,
  };
}

export function invalid(message: string): InspectFault {
  return { code: 'inspect::invalid', message };
}
