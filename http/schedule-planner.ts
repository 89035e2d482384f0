/**
 * What schedules and rules have in common on the way in: who plans runs is asked as for a launch by hand. Mission
 * Control Service, sections 2.7 and 4.6.
 */

/** Codes of a route that only somebody may use who may launch the run. */
export const PLANNER_ERRORS = ['api::no-configuration', 'api::anonymous', 'auth::jwt-required'] as const;
export const PLANNER_STATUSES = { 'api::anonymous': [401] };

/** Codes of a route that makes a plan. */
export const PLANNING_ERRORS = [
  ...PLANNER_ERRORS,
  'schedule::invalid',
  'schedule::refused',
  'schedule::changed',
  'api::unavailable',
] as const;
