/**
 * The archive in the Prometheus registry of the process that owns it; of the others it has nothing but the questions.
 * Registering again goes on counting.
 */

import { Counter, Gauge, type Registry } from 'prom-client';
import type { ArchiveState } from '../../contract/archive-wire.ts';
import type { AnswerOutcome } from '../archive/answers.ts';

const QUESTIONS = 'mcs_archive_questions_total';

/** What is read when somebody scrapes. */
export interface MeasuredArchive {
  readonly state: ArchiveState | undefined;
  readonly trouble: string | undefined;
  readonly damaged: number;
  readonly setAside: number;
}

const GAUGES: readonly (readonly [name: string, help: string, read: (of: MeasuredArchive) => number])[] = [
  [
    'mcs_archive_lag_messages',
    'Messages of the value stream that the archive has not read.',
    ({ state }) => state?.pending ?? 0,
  ],
  ['mcs_archive_segments', 'Segments on the disk.', ({ state }) => state?.segments ?? 0],
  ['mcs_archive_samples', 'Samples in segments.', ({ state }) => state?.samples ?? 0],
  ['mcs_archive_bytes', 'Bytes of the files of segments.', ({ state }) => state?.bytes ?? 0],
  [
    'mcs_archive_waiting_samples',
    'Samples in memory that are no segment yet.',
    ({ state }) => state?.waiting ?? 0,
  ],
  [
    'mcs_archive_trouble',
    'Whether the disk refuses what is to be written (1) or not (0).',
    ({ trouble }) => (trouble === undefined ? 0 : 1),
  ],
  [
    'mcs_archive_damaged_segments',
    'Segments that are set aside because they cannot be read.',
    ({ damaged }) => damaged,
  ],
  [
    'mcs_archive_set_aside_messages',
    'Messages that were left out because they cannot be written.',
    ({ setAside }) => setAside,
  ],
];

/** Measures the archive that `owned` answers with, while this process owns one; counts questions. */
export function archiveMetrics(
  registry: Registry,
  owned: () => MeasuredArchive | undefined,
): (outcome: AnswerOutcome) => void {
  for (const [name, help, read] of GAUGES) {
    registry.removeSingleMetric(name);
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: () => {
        const archive = owned();
        if (archive === undefined) gauge.reset();
        else gauge.set(read(archive));
      },
    });
  }
  const counter =
    (registry.getSingleMetric(QUESTIONS) as Counter<'outcome'> | undefined) ??
    new Counter({
      name: QUESTIONS,
      help: 'Questions about the past that this process looked into, by what came of them.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  for (const outcome of ['answered', 'refused', 'given-up'] as const) counter.inc({ outcome }, 0);
  return (outcome) => counter.inc({ outcome });
}
