/** Work on many things, some at once: what each comes to, in their order. Rejects with the first that fails. */

export async function inTurns<Item, Value>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const made: Value[] = [];
  const left = items.entries();
  const one = async (): Promise<void> => {
    for (const [at, item] of left) made[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, one));
  return made;
}
