/** What a report is worth, in words. RF Bench Service, section 2. Pure. */

import type { Report } from '../../contract/bench/run.ts';

export interface Banner {
  readonly tone: 'ok' | 'warn' | 'bad';
  readonly title: string;
  readonly text: string;
}

const SOURCES: Readonly<Record<NonNullable<Report['source']>, string>> = {
  pl: 'measured on hardware',
  stub: 'made by the model of a board',
  mixed: 'partly made by the model of a board',
  none: 'no numbers were taken',
};

/**
 * A run that was not completed has no verdict, and one that observed nothing is not a pass, whatever its status says.
 */
export function bannerOf(report: Report): Banner {
  const from = report.source === undefined ? 'source not reported' : SOURCES[report.source];
  const numbers = `Numbers: ${from}.`;
  if (!report.has_report)
    return {
      tone: 'warn',
      title: '▲ No report',
      text: 'The daemon ended before the run did; nothing was kept of it.',
    };
  if (report.aborted) {
    const why = report.status === 'cancelled' ? 'it was cancelled' : 'its timeline was not completed';
    return { tone: 'warn', title: `▲ Aborted: ${why}`, text: `Neither verdict applies. ${numbers}` };
  }
  if (report.status === 'failed') return { tone: 'bad', title: '✗ Failed', text: numbers };
  if (!report.verified)
    return {
      tone: 'warn',
      title: '▲ Not verified',
      text: `No assertion read the link: this is not a pass. ${numbers}`,
    };
  return { tone: 'ok', title: '✓ Passed, verified on the link', text: numbers };
}
