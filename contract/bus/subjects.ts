/**
 * Every subject of the bus. Mission Control Service, section 6; the parts the specification leaves open are marked
 * (ours).
 *
 * S1. Every segment that comes from outside is a token, checked here: a subject can never hold a dot, a space or a
 *     wildcard that a caller wrote.
 * S2. A subject used for request and reply is in no stream: the stream would answer first.
 */

import { isToken, NO_INSTANCE } from '../token.ts';

function token(text: string): string {
  if (!isToken(text)) throw new TypeError(`not a token: ${JSON.stringify(text)}`);
  return text;
}

interface AlarmSubject {
  readonly target: string;
  readonly component: string;
  readonly instance?: string;
  readonly alarm: string;
}

export const subject = {
  /** Semantic telecommands (section 4.1 rule 2). */
  tcSubmit: (target: string): string => `mcs.tc.submit.${token(target)}`,
  /** TcEvents of one telecommand (ours, MC-BUS-007). */
  tcEvent: (target: string, id: string): string => `mcs.tc.evt.${token(target)}.${token(id)}`,
  tcEvents: (target?: string): string => `mcs.tc.evt.${target === undefined ? '*' : token(target)}.*`,
  /** TcEvents of one telecommand whose target is not known. */
  tcEventAnywhere: (id: string): string => `mcs.tc.evt.*.${token(id)}`,
  /** Frames received by a gateway (ours). */
  frames: (gateway: string): string => `mcs.tm.frame.${token(gateway)}`,
  /** Decoded samples, raw values, one message per batch of frames (section 6). */
  decoded: (target: string): string => `mcs.tm.decoded.${token(target)}`,
  /** Calibrated and derived samples (ours). */
  values: (target: string): string => `mcs.tm.value.${token(target)}`,
  /** Echoes of sent frames, received by a gateway (ours). */
  echo: (gateway: string): string => `mcs.gw.echo.${token(gateway)}`,
  /** Frames a gateway was asked to send, and what became of them (ours). */
  sent: (gateway: string): string => `mcs.gw.sent.${token(gateway)}`,
  /** Request-reply verbs of drivers, gateways and units, after the pattern of section 4.8. */
  driverVerb: (driver: string, verb: string): string => `mcs.ctl.rpc.driver.${token(driver)}.${token(verb)}`,
  /** The same, served by each process that has the driver: for when the one that was given a call is silent (ours). */
  driverVerbOfAll: (driver: string, verb: string): string =>
    `mcs.ctl.rpc.driver.${token(driver)}.${token(verb)}.all`,
  gatewayVerb: (gateway: string, verb: string): string =>
    `mcs.ctl.rpc.gateway.${token(gateway)}.${token(verb)}`,
  gatewayVerbs: (gateway: string): string => `mcs.ctl.rpc.gateway.${token(gateway)}.*`,
  unitVerb: (serial: string, verb: string): string => `mcs.ctl.rpc.unit.${token(serial)}.${token(verb)}`,
  /** Registration of a unit, request-reply (ours, MC-UNIT-022), and its heartbeat, which is answered too (ours). */
  unitRegister: (serial: string): string => `mcs.ctl.register.unit.${token(serial)}`,
  unitHeartbeat: (serial: string): string => `mcs.ctl.heartbeat.unit.${token(serial)}`,
  /** Those of every unit: any front end serves them. */
  unitRegistrations: 'mcs.ctl.register.unit.*',
  unitHeartbeats: 'mcs.ctl.heartbeat.unit.*',
  /** Registration of a connector, and its heartbeat, request-reply (ours). */
  connectorRegister: (name: string): string => `mcs.ctl.register.connector.${token(name)}`,
  connectorHeartbeat: (name: string): string => `mcs.ctl.heartbeat.connector.${token(name)}`,
  /** Those of every connector: any front end serves them. */
  connectorRegistrations: 'mcs.ctl.register.connector.*',
  connectorHeartbeats: 'mcs.ctl.heartbeat.connector.*',
  /** Files by CFDP over the links of a group of gateways, at the process that has them, request-reply (ours). */
  cfdp: (group: string): string => `mcs.ctl.rpc.cfdp.${token(group)}`,
  /** Launches of runs (section 4.2 rule 5). */
  runSubmit: 'mcs.run.submit',
  /** The log of one run (section 6). */
  runEvents: (run?: string): string => `mcs.run.evt.${run === undefined ? '*' : token(run)}`,
  /** Answers to questions and decisions of a run (section 4.2 rule 6). */
  runApproval: (run?: string): string => `mcs.run.approval.${run === undefined ? '*' : token(run)}`,
  /** Commands to the executor that holds a run, request-reply (section 4.2 rule 7). */
  runControl: (run: string): string => `mcs.run.control.${token(run)}`,
  /** Transitions of one alarm, of one target, or of all (section 6); `_` stands for no instance. */
  alarmEvent: ({ target, component, instance = NO_INSTANCE, alarm }: AlarmSubject): string =>
    `mcs.alarm.evt.${token(target)}.${token(component)}.${token(instance)}.${token(alarm)}`,
  alarmEvents: (target?: string): string =>
    `mcs.alarm.evt.${target === undefined ? '*' : token(target)}.*.*.*`,
  /** Commands to the alarm service, request-reply (section 4.4). */
  alarmControl: (target: string): string => `mcs.alarm.control.${token(target)}`,
  /** Those of every target: one leader serves them all. */
  alarmControls: 'mcs.alarm.control.*',
  /** Chunks of one file, of one target, or all (section 4.7 rule 3). */
  fileChunk: (target: string, file: string): string => `mcs.file.chunk.${token(target)}.${token(file)}`,
  fileChunks: (target?: string): string => `mcs.file.chunk.${target === undefined ? '*' : token(target)}.*`,
  /** Files of a target that a driver may decode, request-reply (section 4.7 rule 6). */
  fileDecode: (target: string): string => `mcs.file.decode.${token(target)}`,
  /** A driver or gateway that has begun to serve `bind` asks for its bindings, request-reply (ours). */
  bindingsWanted: 'mcs.ctl.rpc.reconciler.bindings',
  /** How full the disk of the embedded server is, every `BUS_LOOK_MS` (ours). */
  busDisk: 'mcs.bus.disk',
  /** Switched faults of simulated targets (section 6). */
  simEvent: (target: string): string => `mcs.sim.evt.${token(target)}`,
  /** What the inspector asks of one process (ours), see `contract/inspection.ts`. */
  inspectVerb: (instance: string, verb: string): string =>
    `mcs.ctl.rpc.inspect.${token(instance)}.${token(verb)}`,
  /** Live frames for one watcher of the inspector (ours). */
  inspectWatch: (watcher: string): string => `mcs.inspect.evt.${token(watcher)}`,
  /**
   * Questions about the past to the owner of one archive, request-reply, and the end of one that nobody waits for
   * (ours).
   */
  archiveAsk: (archive: string): string => `mcs.archive.ask.${token(archive)}`,
  archiveCancel: (archive: string): string => `mcs.archive.cancel.${token(archive)}`,
  /** What the owner of an archive says of it every few seconds, and whenever somebody wants to know (ours). */
  archiveState: (archive?: string): string =>
    `mcs.archive.state.${archive === undefined ? '*' : token(archive)}`,
  archivesWanted: 'mcs.archive.wanted',
  /** The log of events, by what they are made from (ours, decision 51). */
  events: (source?: string): string => `mcs.event.${source === undefined ? '*' : token(source)}`,
  deadLetter: (kind: string): string => `mcs.dlq.${token(kind)}`,
  /** Gateway throughput (section 6). */
  metrics: 'mcs.metrics',
} as const;
