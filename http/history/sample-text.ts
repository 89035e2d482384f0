/** Samples as JSON and as lines of CSV, written by hand: a page has thousands of them (value-text.T1, T2). */

import type { HistorySample } from '../../contract/history.ts';
import { SAMPLE_FIELDS } from '../../contract/history-view.ts';
import type { AskedMeasure } from './asked-measures.ts';
import { InstantText } from './instant-text.ts';
import type { Question } from './question.ts';
import { csvText, csvValue, jsonValue } from './value-text.ts';

export type SampleWriter = (sample: HistorySample) => string;

/** A document `PastValue` for each. */
export function sampleJson({ measures }: Question): SampleWriter {
  const [time, ground] = [new InstantText(), new InstantText()];
  const openings = measures.map(openingOf);
  return (sample) => {
    const raw = sample.raw === undefined || sample.raw === null ? '' : `,"raw":${jsonValue(sample.raw)}`;
    const value = `${openings[sample.measure]}${jsonValue(sample.value)}${raw === ',"raw":null' ? '' : raw}`;
    const times = `,"time":"${time.of(sample.time)}","ground_time":"${ground.of(sample.ground)}"`;
    const came = `,"link":${JSON.stringify(sample.link)},"delivery":"${deliveryOf(sample)}"`;
    return `${value}${times}${came}${sample.superseded === true ? ',"superseded":true' : ''}}}`;
  };
}

function openingOf({ place: { component, instance, measure } }: AskedMeasure): string {
  const names = { component, ...(instance !== undefined && { instance }), measure };
  return `${JSON.stringify(names).slice(0, -1)},"sample":{"value":`;
}

export const SAMPLE_HEADING = `${SAMPLE_FIELDS.join()}\n`;

/** A line for each, ended. */
export function sampleCsv({ measures, query }: Question): SampleWriter {
  const [time, ground] = [new InstantText(), new InstantText()];
  const openings = measures.map(({ name }) => `${csvText(query.target)},${csvText(name)},`);
  return (sample) => {
    const times = `${time.of(sample.time)},${ground.of(sample.ground)}`;
    const values = `${csvValue(sample.value)},${csvValue(sample.raw ?? null)}`;
    const came = `${csvText(sample.link)},${deliveryOf(sample)},${sample.superseded === true}`;
    return `${openings[sample.measure]}${times},${values},${came},${sample.position}\n`;
  };
}

function deliveryOf({ deferred }: HistorySample): string {
  return deferred ? 'deferred' : 'realtime';
}
