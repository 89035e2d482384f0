/** A thing that does a part of it otherwise. */
export function partlyOther<Thing extends object>(real: Thing, parts: Partial<Thing>): Thing {
  return new Proxy(real, {
    get: (on, name) => {
      const part = parts[name as keyof Thing];
      if (part !== undefined) return part;
      const value: unknown = Reflect.get(on, name, on);
      return typeof value === 'function' ? value.bind(on) : value;
    },
  });
}
