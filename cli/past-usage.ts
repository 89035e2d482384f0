/** How commands about the past are called: in a file of its own, so that saying it loads nothing. */

const PAST_USAGE = `--from (default an hour before), --to (default now): see TIME; --delivery realtime|deferred|all
  SELECTOR: measure, component.measure or component[instance].measure; without one every measure
`;

export const HISTORY_USAGE = `mcs values history TARGET [SELECTOR …] [--points N] [--json] [--utc | --local]
  the past of each as a line, with minimum, maximum and last value; x: lost, blank: nothing was sent
  ${PAST_USAGE}`;

export const EXPORT_USAGE = `mcs values export TARGET [SELECTOR …] -o FILE [--format csv|parquet|json]
  every sample of that time, a row each; the format is that of the name of FILE where it is not said; -o -: stdout
  ${PAST_USAGE}`;
