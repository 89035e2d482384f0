/**
 * The supervision tree of one process: root → roles → kinds and partitions → cells and workers. A role that fails is
 * started again; one that keeps failing ends the process with a clear message, and whatever started the process
 * decides.
 *
 * T1. What cannot wait is done at once (`Role.halt`), never behind the stop of another role: that may wait for the bus.
 */

import { BUS_RETRY_MS } from '../contract/limits/bus.ts';
import { Outage } from '../contract/outage.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Kind } from './cells/kind.ts';
import { Leadership, type LeadWork } from './ownership/leader.ts';
import type { Membership } from './ownership/membership.ts';
import type { Ownerships } from './ownership/owned-worker.ts';
import { Partitions } from './ownership/partition.ts';
import type { Role, RoleContext, RoleFactory, RoleName } from './role.ts';
import { DEFAULT_INTENSITY, Supervisor, type Trouble } from './supervisor.ts';

interface TreeOptions {
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly membership: Membership;
  /** Carries what says that this process lives. */
  readonly pulse: Bus;
  readonly context: Omit<RoleContext, 'failed' | 'log'>;
  /** The process is beyond repair. */
  readonly escalated: (reason: string) => void;
}

interface Running {
  readonly role: Role;
  readonly partitions: readonly Partitions[];
  readonly leads: readonly Leadership[];
  readonly forget: () => void;
}

/** A role of the process, with what runs below it. */
export interface Branch {
  readonly role: RoleName;
  readonly state: 'starting' | 'running' | 'restarting' | 'quarantined' | 'stopping';
  readonly crashes: number;
  readonly reason: string | undefined;
  readonly partitions: readonly Ownerships[];
  readonly kinds: readonly Kind[];
}

/** A role that failed more than three times in a minute does not repair itself. */
const ROLE_INTENSITY = { ...DEFAULT_INTENSITY, restarts: 3, quarantines: 0 };

export class Tree {
  readonly #options: TreeOptions;
  readonly #factories = new Map<RoleName, RoleFactory>();
  readonly #running = new Map<RoleName, Running>();
  readonly #supervisor: Supervisor;
  #turn: Promise<void> = Promise.resolve();
  #draining = false;

  constructor(options: TreeOptions) {
    this.#options = options;
    const { clock, random, log, escalated } = options;
    this.#supervisor = new Supervisor({
      input: { ...ROLE_INTENSITY, name: 'process' },
      clock,
      random,
      log,
      children: {
        restart: (role) => this.#restart(role as RoleName),
        quarantined: () => undefined,
        released: (role) => this.#restart(role as RoleName),
        escalated,
      },
    });
  }

  async start(name: RoleName, factory: RoleFactory): Promise<void> {
    this.#factories.set(name, factory);
    await this.#startRole(name);
  }

  /** Who is alive may have changed. */
  reconcile(): void {
    for (const { partitions, leads } of this.#running.values()) {
      for (const each of [...partitions, ...leads]) each.reconcile();
    }
  }

  /** Whether everything the mission asks for runs, here or elsewhere. */
  get settled(): boolean {
    return [...this.#running.values()].every(({ partitions, leads }) =>
      [...partitions, ...leads].every((each) => each.settled),
    );
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** The supervisor of its roles. */
  get supervisor(): Supervisor {
    return this.#supervisor;
  }

  /** The roles of this process with what runs below them. */
  branches(): Branch[] {
    return [...this.#factories.keys()].map((role) => {
      const running = this.#running.get(role);
      const trouble = this.#supervisor.trouble()[role];
      return {
        role,
        state: this.#stateOf(running !== undefined, trouble),
        crashes: this.#supervisor.crashes(role),
        reason: trouble?.reason,
        partitions: [...(running?.partitions ?? []), ...(running?.leads ?? [])],
        kinds: running?.role.kinds ?? [],
      };
    });
  }

  /** Starts a quarantined role again; false when it is not quarantined. */
  resume(role: string): boolean {
    return this.#supervisor.resume(role);
  }

  #stateOf(isRunning: boolean, trouble: Trouble | undefined): Branch['state'] {
    if (this.#draining) return 'stopping';
    if (isRunning) return 'running';
    if (trouble === undefined) return 'starting';
    return trouble.quarantined ? 'quarantined' : 'restarting';
  }

  /** Does what cannot wait until the roles are stopped in order (T1). */
  async halt(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((name) => this.#haltRole(name)));
  }

  /** Stops taking, lets what is under way settle, frees what is owned. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#supervisor.drain();
    await this.#turn;
    await Promise.all([...this.#running.keys()].map((name) => this.#stopRole(name)));
  }

  async #startRole(name: RoleName): Promise<void> {
    const factory = this.#factories.get(name);
    if (factory === undefined) return;
    const { context, log } = this.#options;
    const failed = (reason: string): void => this.#failed(name, reason);
    const role = await factory({ ...context, log: log.child({ role: name }), failed });
    const partitions = role.shared.map((shared) => this.#partitions(shared.role, failed));
    const leads = (role.leads ?? []).map((work) => this.#leadership(work, failed));
    const owning = [...partitions, ...leads];
    try {
      for (const each of owning) await each.start();
    } catch (error) {
      // Tried again as a whole: nothing of this attempt may stay behind.
      await Promise.all(owning.map((each) => each.drain()));
      await role.stop();
      throw error;
    }
    const forget = context.missions.onChange((mission) => {
      for (const [n, shared] of role.shared.entries()) partitions[n]?.want(shared.names(mission));
      for (const each of leads) each.want(mission.settings.leaderTtlMs);
    });
    this.#running.set(name, { role, partitions, leads, forget });
    role.leadLater?.((work) => {
      if (work !== undefined && this.#running.get(name)?.role === role) this.#leadAlso(leads, work, failed);
    });
  }

  /** Leads with the others from now on. */
  #leadAlso(leads: Leadership[], work: LeadWork, failed: (reason: string) => void): void {
    const { missions } = this.#options.context;
    const leadership = this.#leadership(work, failed);
    leads.push(leadership);
    leadership
      .start()
      .then(() => {
        if (missions.current !== undefined) leadership.want(missions.current.settings.leaderTtlMs);
      })
      .catch((error: unknown) => failed(error instanceof Error ? error.message : String(error)));
  }

  #partitions(
    role: ConstructorParameters<typeof Partitions>[0]['role'],
    escalated: (reason: string) => void,
  ): Partitions {
    const { instance, clock, random, log, membership, context } = this.#options;
    return new Partitions({ bus: context.bus, clock, random, log, instance, membership, role, escalated });
  }

  #leadership(work: LeadWork, escalated: (reason: string) => void): Leadership {
    const { instance, clock, random, log, membership, pulse } = this.#options;
    const isGone = (other: string): boolean => membership.isGone(other);
    return new Leadership({ bus: pulse, clock, random, log, instance, isGone, work, escalated });
  }

  /** T1; what fails there is for its stop. */
  async #haltRole(name: RoleName): Promise<void> {
    try {
      await this.#running.get(name)?.role.halt?.();
    } catch (error) {
      this.#options.log.error({ role: name, err: error }, 'role was not halted');
    }
  }

  async #stopRole(name: RoleName): Promise<void> {
    const running = this.#running.get(name);
    this.#running.delete(name);
    running?.forget();
    const owning = [...(running?.partitions ?? []), ...(running?.leads ?? [])];
    await Promise.all(owning.map((each) => each.drain()));
    await running?.role.stop();
  }

  #failed(name: RoleName, reason: string): void {
    this.#options.log.error({ role: name, reason }, 'role failed');
    const halted = this.#haltRole(name);
    this.#turn = this.#turn
      .then(() => halted)
      .then(() => this.#stopRole(name))
      .catch(() => undefined);
    this.#supervisor.crashed(name, reason);
  }

  /** The bus is away: that is no fault of the role and costs it no patience. */
  #restartLater(name: RoleName): void {
    this.#options.clock.setTimeout(() => {
      if (!this.#draining) this.#restart(name);
    }, BUS_RETRY_MS);
  }

  #restart(name: RoleName): void {
    this.#turn = this.#turn
      .then(() => this.#startRole(name))
      .catch((error: unknown) => {
        if (error instanceof Outage) return this.#restartLater(name);
        this.#failed(name, error instanceof Error ? error.message : String(error));
      });
  }
}
