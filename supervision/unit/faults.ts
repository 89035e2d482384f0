/** The faults of simulated units by name, for a command line that need not load what a unit needs. */

export { isUnitFault, UNIT_FAULTS, type UnitFault } from '../../links/unit/faults.ts';
