/**
 * A good request of every route of the bench, with the status of its answer and the ledger lines that name the route;
 * walked by the tests of the routes.
 */

export interface Good {
  readonly status: number;
  readonly method: string;
  readonly path: string;
  /** The path as the specification writes it. */
  readonly route: string;
  readonly body?: unknown;
  readonly bytes?: string;
  readonly lines: string;
  /** What the bench is asked. */
  readonly asks: string;
}

const UUID = '0192f0c4-7b1e-7a33-9c1d-3f2a9be4a001';
const VALUES: Readonly<Record<string, string>> = {
  '{name}': 'some-name',
  '{id}': UUID,
  '{run_id}': UUID,
  '{step}': 'step-1',
};

/** method, path of the specification, status, what the bench is asked, ledger lines, and the body. */
type Row = readonly [string, string, number, string, string, unknown?];

const ROWS: readonly Row[] = [
  ['GET', '/api/v1/logs', 200, 'events.logs', 'RB-LOG-002'],
  ['GET', '/api/v1/events', 200, 'events.events', 'RB-LOG-003'],
  ['DELETE', '/api/v1/events', 200, 'events.purge', 'RB-LOG-004', { older_than_hours: 1 }],
  ['GET', '/api/v1/events/latest', 200, 'events.events', 'RB-LOG-006'],
  ['GET', '/api/v1/campaign-runs', 200, 'campaigns.runs', 'RB-CAMP-013'],
  ['GET', '/api/v1/campaign-runs/{id}', 200, 'campaigns.run', 'RB-CAMP-014'],
  ['POST', '/api/v1/campaign-runs/{id}/pause', 202, 'campaigns.pause', 'RB-CAMP-015'],
  ['POST', '/api/v1/campaign-runs/{id}/resume', 202, 'campaigns.resume', 'RB-CAMP-017'],
  ['POST', '/api/v1/campaign-runs/{id}/steps/{step}/rerun', 200, 'campaigns.rerun', 'RB-CAMP-019'],
  ['GET', '/api/v1/campaigns', 200, 'campaigns.list', 'RB-CAMP-006'],
  ['GET', '/api/v1/campaigns/active', 200, 'campaigns.active', 'RB-CAMP-007'],
  ['GET', '/api/v1/campaigns/{name}', 200, 'campaigns.get', 'RB-CAMP-009'],
  ['POST', '/api/v1/campaigns/{name}/run', 202, 'campaigns.start', 'RB-CAMP-010'],
  ['GET', '/api/v1/scenario-runs', 200, 'scenarios.runs', 'RB-SCEN-001'],
  ['GET', '/api/v1/scenario-runs/{run_id}', 200, 'scenarios.run', 'RB-SCEN-003'],
  ['GET', '/api/v1/scenario-runs/{run_id}/events', 200, 'scenarios.runEvents', 'RB-SCEN-004'],
  ['GET', '/api/v1/scenarios', 200, 'scenarios.list', 'RB-SCEN-006'],
  ['GET', '/api/v1/scenarios/active', 200, 'scenarios.active', 'RB-SCEN-007'],
  ['POST', '/api/v1/scenarios/active/cancel', 200, 'scenarios.cancel', 'RB-SCEN-008'],
  ['POST', '/api/v1/scenarios/validate', 200, 'scenarios.validate', 'RB-SCEN-009', { name: 3 }],
  ['GET', '/api/v1/scenarios/{name}', 200, 'scenarios.get', 'RB-SCEN-010'],
  ['POST', '/api/v1/scenarios/{name}/run', 202, 'scenarios.start', 'RB-SCEN-011'],
  ['GET', '/api/v1/reports', 200, 'scenarios.reports', 'RB-REP-001'],
  ['GET', '/api/v1/reports/{run_id}', 200, 'scenarios.report', 'RB-REP-005'],
  ['GET', '/api/v1/chain', 200, 'chain.state', 'RB-CHAIN-001'],
  ['POST', '/api/v1/chain/condition', 200, 'chain.condition', 'RB-CHAIN-009', { target: 'air' }],
  ['POST', '/api/v1/chain/recover', 200, 'chain.recover', 'RB-CHAIN-016'],
  ['GET', '/api/v1/profiles', 200, 'profiles.list', 'RB-PROF-001'],
  ['GET', '/api/v1/profiles/active', 200, 'profiles.active', 'RB-PROF-002'],
  ['POST', '/api/v1/profiles/validate', 200, 'profiles.validate', 'RB-PROF-004', [1]],
  ['GET', '/api/v1/profiles/{name}', 200, 'profiles.get', 'RB-PROF-005'],
  ['PUT', '/api/v1/profiles/{name}', 200, 'profiles.register', 'RB-PROF-007', 'name: some-name'],
  ['POST', '/api/v1/profiles/{name}/apply', 200, 'profiles.apply', 'RB-PROF-010'],
  ['GET', '/api/v1/profiles/{name}/revisions', 200, 'profiles.revisions', 'RB-PROF-012'],
  ['GET', '/api/v1/frames', 200, 'frames.page', 'RB-FRM-001'],
  ['DELETE', '/api/v1/frames', 200, 'frames.purge', 'RB-FRM-006'],
  ['GET', '/api/v1/frames/{id}', 200, 'frames.get', 'RB-FRM-005'],
  [
    'POST',
    '/api/v1/radio/frequency',
    200,
    'radio.tune',
    'RB-RAD-001',
    { center_frequency_hz: 2_400_000_000 },
  ],
  ['POST', '/api/v1/radio/gain', 200, 'radio.gain', 'RB-RAD-004', { rx_gain_db: 20, tx_gain_db: null }],
  ['POST', '/api/v1/radio/loopback', 200, 'radio.loopback', 'RB-RAD-006', { enabled: true }],
  ['POST', '/api/v1/radio/reset', 200, 'radio.reset', 'RB-RAD-007', { scope: 'all' }],
  ['GET', '/api/v1/datapath', 200, 'datapath.state', 'RB-DP-001'],
  ['POST', '/api/v1/datapath/capture', 200, 'datapath.capture', 'RB-DP-002', { blocks: 1 }],
  ['POST', '/api/v1/datapath/enable', 200, 'datapath.enable', 'RB-DP-007'],
  ['POST', '/api/v1/datapath/disable', 200, 'datapath.disable', 'RB-DP-007'],
  ['POST', '/api/v1/datapath/flush', 200, 'datapath.flush', 'RB-DP-008', { blocks: 2 }],
  ['POST', '/api/v1/datapath/loopback', 200, 'datapath.loopback', 'RB-DP-014', 'payload'],
  ['POST', '/api/v1/datapath/measure', 200, 'datapath.measure', 'RB-DP-015', 'payload'],
  [
    ...(['POST', '/api/v1/datapath/transmit', 200, 'datapath.transmit', 'RB-TX-001'] as const),
    { packets: [{ protocol: 'raw', payload_hex: '00' }] },
  ],
];

/** Ours: the specification refers to them without a path. */
const OURS: readonly Row[] = [
  ['GET', '/api/v1/capabilities', 200, 'radio.capabilities', 'RB-CAP-001 RB-CAP-008'],
  ['GET', '/api/v1/radio/aux', 200, 'radio.aux', 'RB-CAP-005 RB-CAP-008'],
  ['GET', '/api/v1/radio/clocks', 200, 'radio.clocks', 'RB-CAP-006 RB-CAP-008'],
  ['GET', '/api/v1/radio/state', 200, 'radio.status', 'RB-RAD-008 RB-CAP-008'],
];

function goodOf([method, route, status, asks, lines, body]: Row): Good {
  const path = route.replace(/\{\w+\}/g, (name) => VALUES[name]!);
  const sent = typeof body === 'string' ? { bytes: body } : body === undefined ? {} : { body };
  return { method, path, route, status, asks, lines, ...sent };
}

/** The table of section 4. */
export const SPECIFIED: readonly Good[] = ROWS.map(goodOf);
export const GOOD: readonly Good[] = [...SPECIFIED, ...OURS.map(goodOf)];

export function sent({ method, body, bytes }: Good): { method: string; body?: string } {
  const content = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  return { method, ...(content !== undefined && { body: content }) };
}
