/** How `mcs connector` is called: in a file of its own, so that saying it loads nothing. */

export const LIST_USAGE = `mcs connector list [--json] [--utc | --local]
  every connector with its readers: what waits, how old it is, and what is at risk (exit code 0 also then)
`;

export const REMOVE_USAGE = `mcs connector remove NAME
  takes one that is no more out of the list, with its durable consumers, for supervisors (--role supervisor)
`;

export const POSTGRES_USAGE = `mcs connector postgres --nats URL --database URL
  [--credentials FILE] [--nats-ca FILE] [--schema NAME] [--name NAME] [--data values,alarms,telecommands,runs]
  [--target A,B] [--keep DAYS] [--from start|now] [--metrics-port N] [--host ADDRESS]
  values and events into PostgreSQL, each once; see docs/postgres.md
  --nats, --credentials, --nats-ca: default $MCS_NATS, $MCS_NATS_CREDENTIALS, $MCS_NATS_CA; a bus with a password:
  $MCS_NATS_USER and $MCS_NATS_PASSWORD, or $MCS_NATS_TOKEN. --database: default $MCS_DATABASE.
  What the URL of the database leaves out is taken from $PGUSER, $PGPASSWORD, $PGPASSFILE and their like;
  everybody on the machine can see a password given as an option
`;
