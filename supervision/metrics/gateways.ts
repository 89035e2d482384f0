/**
 * The gateways of this process in its Prometheus registry. Mission Control Service, section 6; the names are ours. The
 * numbers are those of `mcs.metrics`, read when the registry is scraped.
 *
 * M1. Registering again replaces what was registered: a role that starts again reports its own gateways only.
 */

import { Counter, Gauge, type Registry } from 'prom-client';
import { type GatewayReport, LINK_STATES } from '../../contract/link.ts';

type Labels = Readonly<Record<string, string>>;
type Reading = (report: GatewayReport) => readonly (readonly [Labels, number])[];

const COUNTERS: Readonly<Record<string, { readonly help: string; readonly read: Reading }>> = {
  mcs_gateway_frames_total: {
    help: 'Frames that passed a gateway, by direction.',
    read: ({ downlink, uplink }) => bothWays(downlink.frames, uplink.frames),
  },
  mcs_gateway_bytes_total: {
    help: 'Bytes of frames that passed a gateway, by direction.',
    read: ({ downlink, uplink }) => bothWays(downlink.bytes, uplink.bytes),
  },
  mcs_gateway_reconnects_total: {
    help: 'Connections of a gateway after its first.',
    read: ({ reconnects }) => [[{}, reconnects]],
  },
  mcs_gateway_lost_frames_total: {
    help:
      'Frames lost, by cause: dropped (no room), cut (connection ended inside), foreign (datagram of another sender), ' +
      'kernel (datagram that the receive buffer had no room for).',
    read: ({ lost }) => [
      [{ cause: 'dropped' }, lost.dropped],
      [{ cause: 'cut' }, lost.cut],
      [{ cause: 'foreign' }, lost.foreign],
      [{ cause: 'kernel' }, lost.kernel ?? 0],
    ],
  },
  mcs_gateway_skipped_bytes_total: {
    help: 'Bytes received that are in no frame.',
    read: ({ lost }) => [[{}, lost.skipped_bytes]],
  },
};

const GAUGES: typeof COUNTERS = {
  mcs_gateway_state: {
    help: 'Whether the link of a gateway is in a state (1) or not (0).',
    read: ({ link }) => LINK_STATES.map((state) => [{ state }, link.state === state ? 1 : 0] as const),
  },
  mcs_gateway_frames_per_second: {
    help: 'Frames a second over the last five seconds, by direction.',
    read: ({ downlink, uplink }) => bothWays(downlink.frames_per_second, uplink.frames_per_second),
  },
  mcs_gateway_bytes_per_second: {
    help: 'Bytes of frames a second over the last five seconds, by direction.',
    read: ({ downlink, uplink }) => bothWays(downlink.bytes_per_second, uplink.bytes_per_second),
  },
  mcs_gateway_queued_frames: {
    help: 'Frames that wait: received ones for the bus, others to leave.',
    read: ({ queued }) => bothWays(queued.downlink, queued.uplink),
  },
};

/** Registers the metrics of the gateways that `reports` reports at each scrape. */
export function registerGatewayMetrics(registry: Registry, reports: () => readonly GatewayReport[]): void {
  const readings = (read: Reading): [Labels, number][] =>
    reports().flatMap((report) =>
      read(report).map(([labels, value]): [Labels, number] => [
        { gateway: report.gateway, ...labels },
        value,
      ]),
    );
  for (const [name, { help, read }] of Object.entries(COUNTERS)) {
    registry.removeSingleMetric(name);
    new Counter({
      name,
      help,
      labelNames: LABELS,
      registers: [registry],
      collect() {
        this.reset();
        for (const [labels, value] of readings(read)) this.inc(labels, value);
      },
    });
  }
  for (const [name, { help, read }] of Object.entries(GAUGES)) {
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help,
      labelNames: LABELS,
      registers: [registry],
      collect() {
        this.reset();
        for (const [labels, value] of readings(read)) this.set(labels, value);
      },
    });
  }
}

const LABELS = ['gateway', 'direction', 'cause', 'state'];

function bothWays(downlink: number, uplink: number): readonly (readonly [Labels, number])[] {
  return [
    [{ direction: 'downlink' }, downlink],
    [{ direction: 'uplink' }, uplink],
  ];
}
