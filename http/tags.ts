/** What routes are about: the groups of the interface description, in its order. */

export const TAGS = {
  Telecommands:
    'Direct telecommands: submitted, followed to their final state, encoded and decoded without sending.',
  Runs: 'Runs of procedures: launched, followed, answered, suspended, resumed and aborted.',
  Values: 'The current value of every measure of a target, read once or followed.',
  History: 'The past of measures, as long as the archive keeps it: buckets to draw, and samples.',
  Modes: 'Modes of targets, and the values their parameters have in them.',
  Alarms:
    'Values out of their limits and conditions that need attention: listed, watched, acknowledged, shelved.',
  Events: 'The log of everything that happened: read a page at a time, and followed.',
  Passes: 'Passes of targets over ground stations: predicted, booked, merged, watched.',
  Schedules: 'Runs scheduled on passes, validated by supervisors, and rules that make schedules of them.',
  Catalogue: 'Measures and telecommands of a target.',
  Mission: 'What the mission has, as it is published: targets, environments, gateways and procedures.',
  Files: 'Files on board: the directory of a target, as it was last listed, and asked for.',
  Transfers:
    'Files that come down and go up: asked for, listed, followed, and their content read, also while it arrives.',
  Links: 'Links of targets: who serves them and how they are bound, and their frames as they pass.',
  Units: 'Bench units: the fleet, its self-tests, updates and reboots, and the keys of its units.',
  Connectors:
    'Processes that take data out of the bus, into archives and databases, and how far behind they are.',
  Simulation: 'Faults of simulated spacecraft, switched to see what a fault does to everything behind it.',
  Inspection: 'The supervision tree and the state charts of live and finished entities.',
  Identity: 'Where callers sign in, and credentials to follow runs and alarms on the bus.',
  Uploads: 'Content stored for procedures that upload it.',
  Editor: 'A service of your own behind this one, for callers of this one.',
  Service: 'The service about itself: interface descriptions, health, metrics.',
} as const;

export type Tag = keyof typeof TAGS;
