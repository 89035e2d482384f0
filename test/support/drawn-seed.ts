/**
 * The seed of a simulation that is drawn for each run of the tests. In CI it is always the same one, as those of
 * properties are (`property-seed.ts`): a change is judged by the change. Campaigns draw (`npm run simulate`).
 */

const CI_SEED = 20_261_122;

/** Drawn everywhere else, and in CI with `PROPERTY_SEED=random`. */
export function drawnSeed(): number {
  const { CI, PROPERTY_SEED } = process.env;
  return CI === 'true' && PROPERTY_SEED !== 'random' ? CI_SEED : Math.floor(Math.random() * 2 ** 31);
}
