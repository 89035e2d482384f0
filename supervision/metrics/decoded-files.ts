/**
 * Files of stored telemetry that this process decoded, for Prometheus. Mission Control Service, section 6 (metrics);
 * the names are ours. Registering again goes on counting.
 */

import { Counter, type Registry } from 'prom-client';
import type { DecodedFilesCount } from '../../links/files/file-decoding-service.ts';

const FILES = 'mcs_files_decoded_total';
const SAMPLES = 'mcs_files_samples_total';

export function decodedFiles(registry: Registry): DecodedFilesCount {
  const files = counter(
    registry,
    FILES,
    'Answers to offers of files, by outcome: failed ones are offered again.',
    ['target', 'outcome'],
  );
  const samples = counter(registry, SAMPLES, 'Samples decoded of files and published.', ['target']);
  return {
    answered: (target, outcome) => files.inc({ target, outcome }),
    published: (target, count) => samples.inc({ target }, count),
  };
}

function counter<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: Label[],
): Counter<Label> {
  const known = registry.getSingleMetric(name) as Counter<Label> | undefined;
  return known ?? new Counter({ name, help, labelNames, registers: [registry] });
}
